// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Launcher.hpp>

#include <utility>

#include "launch/Steps.hpp"

namespace kp {

struct Launcher::Cache {
    launch::StepRunner runner;
};

Launcher::Launcher(std::string name, std::shared_ptr<TimingSink> profiler)
    : mName(std::move(name)),
      mRunLog(std::make_unique<launch::RunLog>(mName, std::move(profiler))) {}

Launcher::~Launcher() = default;

void Launcher::addLaunch(const Event& event, uint64_t bytes) {
    mRunLog->add(event, bytes);
}

std::vector<Event> Launcher::events() const {
    return mRunLog->events();
}

KernelStatistics Launcher::statistics() {
    return mRunLog->statistics();
}

void Launcher::clearStatistics() {
    mRunLog->clear();
}

// A launcher that a user implemented is called like a user would call it.
void Launcher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    LaunchOptions options;
    for (const ParameterInfo& info : parameters())
        for (const Parameter& parameter : context.options.parameters)
            if (parameter.name == info.name)
                options.parameters.push_back(parameter);
    steps.add(*this).call = [this, options](const std::shared_ptr<Queue>& queue,
                                            const std::vector<Event>& waitFor) mutable {
        options.queue = queue;
        options.waitFor = waitFor;
        return (*this)(options);
    };
}

Event Launcher::runSteps(const std::shared_ptr<Queue>& queue, const LaunchOptions& options) {
    if (!mCache)
        mCache = std::make_unique<Cache>();
    launch::StepRunner& runner = mCache->runner;
    runner.steps().clear();
    appendSteps(runner.steps(), {options, *queue, launch::tracing()});
    Event event = runner.run(queue, options.waitFor);
    runner.steps().clear();
    return event;
}

} // namespace kp
