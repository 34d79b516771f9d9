// SPDX-License-Identifier: Apache-2.0
#include "launch/Steps.hpp"

#include <kompute/launch/Trace.hpp>

#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"

namespace kp::launch {
namespace {

void logLaunch(const Step& step, const Event& event) {
    step.launcher->runLog().add(event, step.bytes);
    if (step.listLog)
        step.listLog->add(event, step.bytes);
}

void markHostViewStale(const Step& step) {
    if (step.changed && step.changed->impl().mirrored)
        step.changed->impl().mirrorStale = true;
}

} // namespace

Event StepRunner::run(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor) {
    std::vector<Step>& steps = mSteps.steps();
    if (steps.empty())
        return queue->barrier(waitFor);
    if (mDevice.lock() != queue->impl().device) {
        mRepeaters.clear();
        mDevice = queue->impl().device;
    }
    const bool timed = queue->profiling();
    Event last;
    size_t segment = 0;
    for (size_t i = 0; i < steps.size();) {
        const Step& step = steps[i];
        const std::vector<Event> after =
            i == 0 ? std::vector<Event>{} : std::vector<Event>{std::move(last)};
        const std::vector<Event>& waits = i == 0 ? waitFor : after;
        if (!step.message.empty())
            traceKernel(step.message);
        if (step.operation) {
            size_t end = i + 1;
            for (; end < steps.size() && steps[end].operation; ++end)
                if (!steps[end].message.empty())
                    traceKernel(steps[end].message);
            last = runDevice(*queue, i, end, waits, segment++, timed);
            for (size_t part = i; part < end; ++part) {
                if (timed)
                    logLaunch(steps[part], Event(last.state(), static_cast<uint32_t>(part - i)));
                markHostViewStale(steps[part]);
            }
            i = end;
            continue;
        }
        if (step.host) {
            last = queue->impl().launchHost(waits, timed, step.host);
            if (timed)
                logLaunch(step, last);
            markHostViewStale(step);
        } else {
            std::optional<Event> event = step.call(queue, waits);
            last = event ? std::move(*event) : queue->barrier(waits);
        }
        ++i;
    }
    return last;
}

Event StepRunner::runDevice(Queue& queue, size_t first, size_t end,
                            const std::vector<Event>& waitFor, size_t segment, bool timed) {
    std::vector<Step>& steps = mSteps.steps();
    mOperations.clear();
    for (size_t i = first; i < end; ++i)
        mOperations.push_back(std::move(steps[i].operation));
    Queue::Impl& impl = queue.impl();
    if (mRepeaters.size() <= segment)
        mRepeaters.push_back(std::make_shared<Repeater>(impl.device));
    const std::shared_ptr<Repeater>& repeater = mRepeaters[segment];
    return impl.launch(
        waitFor, timed,
        [&](Queue::Impl::Points waits, const std::shared_ptr<EventState>& state) {
            return repeater->submit(impl.queue, mOperations, timed, waits, state);
        },
        [&]() -> Queue::Impl::Submit {
            return [repeater, operations = std::move(mOperations), target = &impl.queue,
                    timed](Queue::Impl::Points waits,
                           const std::shared_ptr<EventState>& state) mutable {
                return repeater->submit(*target, operations, timed, waits, state);
            };
        });
}

} // namespace kp::launch
