// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/HostLauncher.hpp>

#include <utility>

#include "launch/LauncherImpl.hpp"

namespace kp {

HostLauncher::HostLauncher(std::string name, std::function<void(const Parameters&)> function,
                           std::vector<std::string> parameters, std::shared_ptr<Queue> defaultQueue,
                           std::shared_ptr<TimingSink> profiler)
    : Launcher(std::move(name), std::move(profiler)), mFunction(std::move(function)),
      mParameters(std::move(parameters)), mDefaultQueue(std::move(defaultQueue)) {
    if (!mFunction)
        launch::throwFor(this->name(), "the host function is empty");
}

HostLauncher::HostLauncher(std::string name, std::function<void()> function,
                           std::shared_ptr<Queue> defaultQueue,
                           std::shared_ptr<TimingSink> profiler)
    : HostLauncher(std::move(name),
                   function ? std::function<void(const Parameters&)>(
                                  [call = function](const Parameters&) { call(); })
                            : nullptr,
                   {}, std::move(defaultQueue), std::move(profiler)) {}

HostLauncher::~HostLauncher() = default;

std::vector<ParameterInfo> HostLauncher::parameters() const {
    std::vector<ParameterInfo> infos;
    for (const std::string& parameter : mParameters)
        infos.push_back({parameter, launch::kAnyType, {name()}});
    return infos;
}

std::optional<Event> HostLauncher::operator()(const LaunchOptions& options) {
    return runSteps(launch::queueFor(*this, options, mDefaultQueue), options);
}

std::function<void()> HostLauncher::bindParameters(const LaunchOptions& options) const {
    Parameters given;
    for (const std::string& wanted : mParameters) {
        const Parameter* const found = launch::findNamed(options.parameters, wanted);
        if (!found)
            launch::throwFor(name(), "parameter '{}' is missing", wanted);
        given.push_back(*found);
    }
    return [function = mFunction, parameters = std::move(given)] { function(parameters); };
}

void HostLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    std::function<void()> function = bindParameters(context.options);
    launch::Step& step = steps.add(*this);
    step.host = std::move(function);
    context.trace(step, "host {}", name());
}

} // namespace kp
