// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/HostLauncher.hpp>

#include <algorithm>
#include <utility>

#include "launch/LauncherChecks.hpp"
#include "launch/Steps.hpp"

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

void HostLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    Parameters given;
    for (const std::string& wanted : mParameters) {
        const Parameters& all = context.options.parameters;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter& parameter) {
            return parameter.name == wanted;
        });
        if (found == all.end())
            launch::throwFor(name(), "parameter '{}' is missing", wanted);
        given.push_back(*found);
    }
    launch::Step& step = steps.add(*this);
    step.host = [function = mFunction, parameters = std::move(given)] { function(parameters); };
    context.trace(step, "host {}", name());
}

} // namespace kp
