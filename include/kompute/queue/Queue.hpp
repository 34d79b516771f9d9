// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kompute/queue/Event.hpp>

namespace kp {

class Manager;
class OpBase;

/// A queue of a device: launchers submit work to it and get events back. Manager::queue creates
/// queues.
///
///     auto queue = manager.queue();
///     kp::Event done = queue->hostFunction([] { std::puts("hello"); });
///     done.wait();
///
/// **VkQueues.** Queue i of a manager is its i-th VkQueue (ManagerOptions::queueFamilies); by
/// default there is one. Queues with a higher index are *virtual*: they share VkQueue 0 but have
/// their own order, events and statistics. This is deliberate. Some drivers time-slice VkQueues of
/// one family, at more than 100 microseconds per switch, while independent work within one VkQueue
/// overlaps anyway.
///
/// **Order.** In an in-order queue, each launch starts after all earlier ones have finished. In an
/// out-of-order queue, only wait lists, barrier() and shared memory order launches. A VkQueue
/// finishes its submissions in submission order, so an out-of-order queue makes a difference only
/// for launches that wait on the host: for a user event, a host function or another device.
///
/// **Waiting.** If all events that a launch waits for are submitted, the launch is submitted at
/// once and the device waits. If some depend on the host (a user event, a host function, a launch
/// that itself waits, an event of another device), the library submits the launch later, once they
/// are done. The call returns at once in both cases. The library never submits work that waits for
/// something not yet submitted, so a VkQueue never blocks other queues or transfers.
///
/// **Failure.** If a launch fails, every launch that waits for its event fails too. Later launches
/// on the queue still run.
///
/// Thread-safe. A queue stays usable after its manager is destroyed and keeps the device alive.
class KOMPUTE_API Queue {
public:
    struct Impl;
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Returns the index given to Manager::queue.
    uint32_t index() const;
    /// Returns true if each launch starts after all earlier ones have finished.
    bool inOrder() const;
    /// Returns true if the queue shares the VkQueue of another index.
    bool isVirtual() const;
    /// Returns "queue 2", for example; with the suffix " (virtual, on queue 0)" for a virtual
    /// queue.
    std::string name() const;
    /// Returns the name of the device.
    std::string deviceName() const;
    /// Returns the queue family of the VkQueue.
    uint32_t queueFamily() const;

    /// Returns true if launches are timed. Stays false if the device has no timestamps on this
    /// queue.
    bool profiling() const;
    /// Switches the timing of later launches on or off. Without timestamps it logs a warning.
    void setProfiling(bool profiling);

    /// Returns an event that is done once all earlier launches on this queue and all events in @p
    /// waitFor are done. Later launches on this queue start after it, even in an out-of-order
    /// queue. The event fails if an event in @p waitFor fails.
    Event barrier(const std::vector<Event>& waitFor = {});

    /// Launches an operation once, after all events in @p waitFor, and in an in-order queue after
    /// all earlier launches. Returns at once. Primitives launched this way take scratch memory from
    /// the queue, which all its launches share. preEval() is called when the operation is recorded,
    /// and postEval() is not, since nothing waits.
    /// @throws InvalidArgument if @p operation is null or unusable; its exceptions when it is
    ///         recorded, unless the launch waits for the host: then the event has the error
    Event launch(std::shared_ptr<OpBase> operation, const std::vector<Event>& waitFor = {});
    /// Launches operations, one after the other. Without any, it is a barrier().
    Event launch(std::vector<std::shared_ptr<OpBase>> operations,
                 const std::vector<Event>& waitFor = {});
    /// Returns an event that is done as soon as launch() would not wait: it waits if the device is
    /// more than a thousand launches behind.
    [[nodiscard]] Event ready() const;

    /// Runs a function on a thread of the library once all events in @p waitFor, and in an in-order
    /// queue all earlier launches, are done. The returned event is done when the function returns,
    /// and fails with the function's exception. The function may use the library but must not wait
    /// for work that comes after it.
    /// @throws InvalidArgument if @p function is empty
    Event hostFunction(std::function<void()> function, const std::vector<Event>& waitFor = {});

    /// Waits for all earlier launches on this queue. Failures of launches are reported by their
    /// events only.
    /// @throws DeviceLost
    void finish();

private:
    friend struct Internals;
    explicit Queue(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> mImpl;
};

} // namespace kp
