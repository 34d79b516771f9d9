// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Event.hpp>

namespace kp {

class Manager;

/// A line of work of a device: launches go to it, events come from it. Made by Manager::queue.
///
/// **Which VkQueue.** Queue i of a manager is its i-th VkQueue (ManagerOptions::queueFamilies). A
/// manager has one VkQueue unless it was asked for more, and queues past its last are *virtual*:
/// they share VkQueue 0 and have their own order, events and statistics. That is on purpose. Work
/// on several VkQueues of one family is time-sliced by some drivers, at a price of more than 100
/// microseconds a switch, while independent work inside one VkQueue overlaps anyway.
///
/// **Order.** In an in-order queue each launch comes after all before it. In an out-of-order queue
/// only wait lists, barrier() and the memory that launches share give an order. One VkQueue
/// finishes its submissions in the order it got them, so an out-of-order queue differs where
/// launches wait on the host: for a user event, a host function or another device.
///
/// **Waiting.** A launch whose events have been submitted is submitted at once, and the device
/// waits. A launch that waits for something the host still has to do (a user event, a host
/// function, a launch that waits itself, an event of another device) is kept by the library and
/// submitted when that is done; the call returns at once all the same. No submission is ever
/// blocked in a VkQueue by something that is not submitted, so other queues and transfers go on.
///
/// **Failure.** A launch that fails, fails what names its event in a wait list, and nothing else:
/// later launches of the queue run.
///
/// Thread-safe. Lives on when the manager is gone, and keeps the device.
class KOMPUTE_API Queue {
public:
    struct Impl;
    explicit Queue(std::shared_ptr<Impl> impl);
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    uint32_t index() const;
    bool inOrder() const;
    /// True where it shares the VkQueue of another index.
    bool isVirtual() const;
    /// "queue 2"; with " (virtual, on queue 0)" where it is.
    std::string name() const;
    std::string deviceName() const;
    uint32_t queueFamily() const;

    /// True where launches are timed. False also where profiling was asked for but the device has
    /// no timestamps on this queue.
    bool profiling() const;
    /// For launches from now on.
    void setProfiling(bool profiling);

    /// An event that is done when everything launched on this queue so far, and every event in
    /// @p waitFor, is done. Later launches of this queue, out-of-order ones too, come after it.
    /// It fails where an event in @p waitFor fails.
    Event barrier(const std::vector<Event>& waitFor = {});

    /// Runs a function on a thread of the library when all of @p waitFor (and, in an in-order
    /// queue, everything before) is done. The event is done when the function has returned, and
    /// fails with what it throws. The function may use the library, but must not wait for what
    /// comes after it.
    Event hostFunction(std::function<void()> function, const std::vector<Event>& waitFor = {});

    /// Waits for everything launched on this queue so far. Failures are left to those who hold the
    /// events. @throws DeviceLost
    void finish();

    /// For the library's own files.
    Impl& impl() const { return *mImpl; }

private:
    std::shared_ptr<Impl> mImpl;
};

} // namespace kp
