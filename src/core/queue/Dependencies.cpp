// SPDX-License-Identifier: Apache-2.0
#include "core/queue/Dependencies.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/Process.hpp"
#include "core/Internals.hpp"
#include "core/queue/EventState.hpp"
#include "core/queue/HostWorkers.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {
namespace {

/// Returns the timeline point of an event; empty if its work is not submitted.
vulkan::TimelinePoint pointOf(const Event& event) {
    const std::shared_ptr<EventState>& state = Internals::state(event);
    if (!state)
        return {Internals::queue(event), event.value()};
    return state->phase() == EventState::Phase::eSubmitted ? state->point()
                                                           : vulkan::TimelinePoint{};
}

/// Keeps the latest point of each queue.
void addPoint(Dependencies::Points& points, const vulkan::TimelinePoint& point) {
    for (vulkan::TimelinePoint& known : points)
        if (known.queue == point.queue) {
            known.value = std::max(known.value, point.value);
            return;
        }
    points.push_back(point);
}

const vulkan::Device* deviceOf(const Event& event) {
    return Internals::state(event) ? Internals::state(event)->device().get()
                                   : Internals::device(event).get();
}

/// Returns true if a submission to @p queue can wait for the point.
bool deviceCanWait(const vulkan::Device* device, const vulkan::Queue* queue, const Event& event,
                   const vulkan::TimelinePoint& point) {
    return queue && deviceOf(event) == device &&
           (point.queue == queue || device->plan().timelineSemaphores);
}

} // namespace

/// Lives until the last pending event is resolved.
struct Dependencies::Node : std::enable_shared_from_this<Node> {
    const vulkan::Device* device = nullptr;
    const vulkan::Queue* queue = nullptr;
    Then then;
    std::atomic<size_t> remaining{0};
    std::mutex mutex; ///< guards the members below
    Points points;
    std::vector<Event> kept;
    std::vector<Pending> hostWaits; ///< events that the host waits for: the device cannot
    std::exception_ptr failure;

    void noteFailure(std::exception_ptr error) {
        const std::lock_guard lock(mutex);
        if (!failure)
            failure = std::move(error);
    }

    void resolved(const Pending& pending) {
        const std::shared_ptr<EventState>& state = Internals::state(pending.event);
        if (state && state->phase() == EventState::Phase::eFailed) {
            if (pending.passesFailure)
                noteFailure(state->error());
        } else if (const vulkan::TimelinePoint point = pointOf(pending.event);
                   point.queue && point.queue != queue) { // the same queue keeps the order
            const std::lock_guard lock(mutex);
            if (deviceCanWait(device, queue, pending.event, point))
                addPoint(points, point);
            else
                hostWaits.push_back(pending);
        }
        arrive();
    }

    void arrive() {
        if (remaining.fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        if (queue && hostWaits.empty())
            finish();
        else
            HostWorkers::instance().post([self = shared_from_this()] {
                for (const Pending& pending : self->hostWaits) {
                    try {
                        const HostWorkers::DeviceWait waiting;
                        pending.event.wait();
                    } catch (...) {
                        if (pending.passesFailure)
                            self->noteFailure(std::current_exception());
                    }
                }
                // The events keep devices, which a host application may destroy as soon as it sees
                // the result of finish().
                self->hostWaits.clear();
                self->finish();
            });
    }

    void finish() {
        const Then call = std::move(then);
        call(failure, std::move(points));
    }
};

Dependencies::Dependencies(const vulkan::Device* device, const vulkan::Queue* queue,
                           const std::vector<Event>& events)
    : mDevice(device), mQueue(queue) {
    requireDriver();
    for (const Event& event : events)
        add(event);
}

void Dependencies::add(const Event& event, bool passesFailure) {
    const std::shared_ptr<EventState>& state = Internals::state(event);
    if (state) {
        const EventState::Phase phase = state->phase();
        if (phase == EventState::Phase::eDone)
            return;
        if (phase == EventState::Phase::eFailed) {
            if (passesFailure && !mFailure)
                mFailure = state->error();
            return;
        }
        if (phase == EventState::Phase::eQueued) {
            mPending.push_back({event, passesFailure});
            return;
        }
    } else if (!Internals::queue(event)) {
        return;
    }
    const vulkan::TimelinePoint point = pointOf(event);
    try {
        point.queue->requireSucceeded(point.value);
        if (point.queue == mQueue || point.queue->poll(point.value)) // a queue keeps its order
            return;
    } catch (...) {
        if (passesFailure && !mFailure)
            mFailure = std::current_exception();
        return;
    }
    if (deviceCanWait(mDevice, mQueue, event, point)) {
        addPoint(mPoints, point);
        if (!point.queue->handle())
            mKept.push_back(event);
    } else if (mQueue && deviceOf(event) == mDevice) {
        // Work that is submitted later would lose its place among other uses of the memory.
        try {
            event.wait();
        } catch (...) {
            if (passesFailure && !mFailure)
                mFailure = std::current_exception();
        }
    } else {
        mPending.push_back({event, passesFailure});
    }
}

void Dependencies::then(Then call) && {
    const auto node = std::make_shared<Node>();
    node->device = mDevice;
    node->queue = mQueue;
    node->then = std::move(call);
    node->points = std::move(mPoints);
    node->kept = std::move(mKept);
    node->failure = mFailure;
    // One more, so that finish() does not run before the loop below ends.
    node->remaining.store(mPending.size() + 1, std::memory_order_relaxed);
    for (Pending& pending : mPending) {
        const std::shared_ptr<EventState> state = Internals::state(pending.event);
        if (state)
            state->whenResolved([node, kept = std::move(pending)] { node->resolved(kept); });
        else
            node->resolved(pending);
    }
    node->arrive();
}

} // namespace kp
