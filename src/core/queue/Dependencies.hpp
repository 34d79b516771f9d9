// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <vector>

#include <kompute/queue/Event.hpp>

#include "vulkan/device/Device.hpp"

namespace kp {

/// The events that one piece of work waits for: timeline points that the device waits for, and
/// pending events that the host must see first.
///
/// The work is submitted only when no event is pending. It never blocks in a VkQueue, because a
/// blocked VkQueue would hold up all other work on it (for instance transfers that a host function
/// makes and waits for), and because blocked work could not be cancelled if an event fails.
///
/// Without timeline semaphores, the host waits for other queues of the device while events are
/// added.
class Dependencies {
public:
    using Points = std::vector<vulkan::TimelinePoint>;
    /// @param failure  the first failure of an event in add(); null if none failed
    /// @param points   the points that the submission must wait for
    using Then = std::function<void(std::exception_ptr failure, Points&& points)>;

    /// @param device  the device of the work; null for host work
    /// @param queue   the queue of the work; null for host work, which waits until all events are
    ///                done
    /// @param events  passed to add()
    Dependencies(const vulkan::Device* device, const vulkan::Queue* queue,
                 const std::vector<Event>& events = {});

    /// The work waits for the event, and fails if the event fails.
    void add(const Event& event) { add(event, true); }
    /// The work waits for the event, and runs even if the event fails.
    void addOrder(const Event& event) { add(event, false); }

    /// Returns true if no event is pending: the work can be submitted now.
    bool ready() const { return mPending.empty(); }
    const std::exception_ptr& failure() const { return mFailure; }
    std::span<const vulkan::TimelinePoint> points() const { return mPoints; }

    /// Calls @p call once no event is pending, in this thread or the one that resolved the last
    /// event; for host work, and after the host waited for a device, in a thread of HostWorkers.
    /// The caller must not hold a lock that @p call takes.
    void then(Then call) &&;

private:
    struct Pending {
        Event event;
        bool passesFailure;
    };
    struct Node;

    void add(const Event& event, bool passesFailure);

    const vulkan::Device* mDevice;
    const vulkan::Queue* mQueue;
    Points mPoints;
    std::vector<Event> mKept; ///< events with points of semaphores, which they keep alive
    std::vector<Pending> mPending;
    std::exception_ptr mFailure;
};

} // namespace kp
