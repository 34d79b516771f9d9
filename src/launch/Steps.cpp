// SPDX-License-Identifier: Apache-2.0
#include "launch/Steps.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/launch/Trace.hpp>

#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"

namespace kp::launch {

void throwFor(const std::string& launcher, const std::string& message) {
    throw InvalidArgument("launcher '" + launcher + "': " + message);
}

const std::shared_ptr<Queue>& chosenQueue(const std::string& launcher, const LaunchOptions& options,
                                          const std::shared_ptr<Queue>& defaultQueue) {
    if (options.queue)
        return options.queue;
    if (!defaultQueue)
        throwFor(launcher, "no queue was given with the call, and there is no default queue");
    return defaultQueue;
}

void requireKnownParameters(const std::string& launcher, const Parameters& given,
                            const std::vector<ParameterInfo>& known) {
    for (const Parameter& parameter : given) {
        const bool isKnown =
            std::any_of(known.begin(), known.end(),
                        [&](const ParameterInfo& info) { return info.name == parameter.name; });
        if (isKnown)
            continue;
        std::string names;
        for (const ParameterInfo& info : known)
            names += (names.empty() ? "" : ", ") + info.name;
        throwFor(launcher, "parameter '" + parameter.name + "' is unknown; " +
                               (names.empty() ? "it takes none" : "it takes " + names));
    }
}

Event StepRunner::run(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor) {
    std::vector<Step>& steps = mSteps.steps();
    if (steps.empty())
        return queue->barrier(waitFor);
    if (mDevice.lock() != queue->impl().device) {
        mRepeaters.clear();
        mDevice = queue->impl().device;
    }
    const bool timed = queue->profiling();
    const auto note = [&](const Step& step, const Event& event) {
        step.launcher->runLog().add(event, step.bytes);
        if (step.listLog)
            step.listLog->add(event, step.bytes);
    };
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
                    note(steps[part], Event(last.state(), static_cast<uint32_t>(part - i)));
                if (steps[part].changed && steps[part].changed->impl().mirrored)
                    steps[part].changed->impl().mirrorStale = true;
            }
            i = end;
            continue;
        }
        if (step.host) {
            last = queue->impl().launchHost(waits, timed, step.host);
            if (timed)
                note(step, last);
            if (step.changed && step.changed->impl().mirrored)
                step.changed->impl().mirrorStale = true;
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
    bool padded = false;
    for (size_t i = first; i < end; ++i) {
        mOperations.push_back(std::move(steps[i].operation));
        padded |= steps[i].padded;
    }
    Queue::Impl& impl = queue.impl();
    if (mRepeaters.size() <= segment)
        mRepeaters.push_back(std::make_shared<Repeater>(impl.device));
    const std::shared_ptr<Repeater>& repeater = mRepeaters[segment];
    return impl.launch(
        waitFor, timed || padded,
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
