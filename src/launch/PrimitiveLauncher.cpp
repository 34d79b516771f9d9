// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/PrimitiveLauncher.hpp>

#include <utility>

#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"
#include "launch/LauncherImpl.hpp"
#include "primitives/plan/BoundPlan.hpp"

namespace kp {

PrimitiveLauncher::PrimitiveLauncher(std::string name, std::shared_ptr<Primitive> primitive,
                                     std::shared_ptr<Queue> defaultQueue,
                                     std::shared_ptr<TimingSink> profiler)
    : Launcher(std::move(name), std::move(profiler)), mPrimitive(std::move(primitive)),
      mDefaultQueue(std::move(defaultQueue)) {
    if (!mPrimitive)
        launch::throwFor(this->name(), "the primitive is null");
    const Tensor& first = *mPrimitive->mPlan->arguments().front().range.tensor;
    mManagerQueue = implOf(first).managerQueue.lock();
}

PrimitiveLauncher::~PrimitiveLauncher() = default;

std::optional<Event> PrimitiveLauncher::operator()(const LaunchOptions& options) {
    return runSteps(launch::queueFor(*this, options, mDefaultQueue), options);
}

void PrimitiveLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    const primitives::BoundPlan& plan = *mPrimitive->mPlan;
    for (const primitives::Argument& argument : plan.arguments()) {
        const Memory::Impl& tensor = implOf(*argument.range.tensor);
        if (!tensor.device)
            launch::throwFor(name(), "{} was destroyed", argument.name);
        if (tensor.device != implOf(context.queue).device)
            requireSameDevice(*argument.range.tensor, *implOf(context.queue).device,
                              formatted("launcher '{}' on a queue", name()).c_str());
    }
    launch::Step& step = steps.add(*this);
    step.operation = mPrimitive;
    context.trace(step, "enqueue_primitive {}: {}", name(), plan.operation());
}

} // namespace kp
