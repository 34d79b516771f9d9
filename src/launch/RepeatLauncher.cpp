// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/RepeatLauncher.hpp>

#include <utility>

#include "launch/LauncherImpl.hpp"

namespace kp {

RepeatLauncher::RepeatLauncher(std::string name, const std::shared_ptr<KernelListLauncher>& step,
                               std::shared_ptr<Tensor> flag, uint32_t most, uint64_t element,
                               std::shared_ptr<Queue> defaultQueue,
                               std::shared_ptr<TimingSink> profiler)
    : Launcher(std::move(name), std::move(profiler)), mStep(this->name()), mFlag(std::move(flag)),
      mMost(most), mElement(element), mDefaultQueue(std::move(defaultQueue)) {
    if (!step || step->size() == 0)
        launch::throwFor(this->name(),
                         "the list of launchers is {}; it has the launchers of a step",
                         step ? "empty" : "null");
    mStep.push(step);
    OpRepeat::require(mFlag, mMost, mElement);
}

RepeatLauncher::~RepeatLauncher() = default;

std::optional<Event> RepeatLauncher::operator()(const LaunchOptions& options) {
    return runSteps(launch::queueFor(*this, options, mDefaultQueue), options);
}

std::vector<ParameterInfo> RepeatLauncher::parameters() const {
    return mStep.parameters();
}

const std::shared_ptr<Queue>& RepeatLauncher::managerQueue() const {
    return mStep.managerQueue();
}

void RepeatLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    LaunchOptions options;
    options.parameters = context.options.parameters;
    launch::StepList repeated;
    for (const std::shared_ptr<Launcher>& launcher : mStep.launchers())
        launcher->appendSteps(repeated, {options, context.queue, false});
    std::vector<std::shared_ptr<OpBase>> operations;
    for (const launch::Step& step : repeated.steps()) {
        if (!step.operation)
            launch::throwFor(name(),
                             "launcher '{}' runs on the host, which the device cannot repeat; "
                             "launch it before or after",
                             step.launcher->name());
        operations.push_back(step.operation);
    }
    if (!mOperation || mOperation->operations() != operations)
        mOperation = std::make_shared<OpRepeat>(std::move(operations), mFlag, mMost, mElement);
    launch::Step& step = steps.add(*this);
    step.operation = mOperation;
    context.trace(step, "enqueue_repeat {}: at most {} times", name(), mMost);
}

} // namespace kp
