// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

namespace vulkan {
class Device;
class Queue;
enum class WaitMode;
} // namespace vulkan

class EventState;

/// How far the work behind an event has come.
enum class EventStatus {
    eQueued,    ///< it waits on the host for something else; the device has not been given it
    eSubmitted, ///< the device has it, or the host function is running
    eComplete,  ///< done
    eError      ///< it failed or could not be started; wait() says why
};

/// When profiled work ran. Device times count from a point of the device's choosing; they are
/// comparable with those of other work of the same device. Host times are those of
/// std::chrono::steady_clock.
struct EventProfile {
    uint64_t start = 0;     ///< device nanoseconds
    uint64_t end = 0;       ///< device nanoseconds
    uint64_t queued = 0;    ///< host nanoseconds: the call that started it
    uint64_t submitted = 0; ///< host nanoseconds: the device was given it

    uint64_t duration() const { return end > start ? end - start : 0; } ///< nanoseconds
};

/// A point in the work of a device, a host function, or a promise of the host (UserEvent). Cheap to
/// copy. Stays usable after the sequence, queue or manager that gave it is gone. Thread-safe.
///
/// Work that waits for an event which fails is not started: it fails with the same exception.
class KOMPUTE_API Event {
public:
    /// An event that is done already.
    Event();
    Event(std::shared_ptr<vulkan::Device> device, vulkan::Queue* queue, uint64_t value,
          vulkan::WaitMode waitMode);
    /// What the library's own files make. @param part  which of the timed parts of the submission
    /// profile() is about; kWhole: all of it
    explicit Event(std::shared_ptr<EventState> state, uint32_t part = kWhole);
    ~Event();
    Event(const Event&);
    Event& operator=(const Event&);
    Event(Event&&) noexcept;
    Event& operator=(Event&&) noexcept;

    static constexpr uint32_t kWhole = UINT32_MAX;

    /// True once the work is over, done or failed. Never blocks.
    /// @throws DeviceLost where the device was lost
    bool done() const;

    /// Never blocks and never throws.
    EventStatus status() const;

    /// Blocks until the work is done or @p timeout nanoseconds are over.
    /// @return false when the time was over first
    /// @throws DeviceLost where the device was lost; what a failed host function threw, or what
    ///         kept the work from being started
    bool wait(uint64_t timeout = UINT64_MAX) const;

    /// When it ran. Empty until it is done, where it failed, and where its queue did not profile
    /// it. Never blocks. @throws DeviceLost
    std::optional<EventProfile> profile() const;

    /// The queue's count at this point; 0 for the empty event, one that the device has not been
    /// given yet, and host work.
    uint64_t value() const;

    /// Name of the queue it was launched on ("queue 0"); "" where it was not launched on a
    /// kp::Queue.
    std::string queueName() const;

    /// Blocks until all are done or @p timeout nanoseconds are over.
    /// @return false when the time was over first
    /// @throws as wait(), once all are over, the first error in the order of the list
    static bool waitAll(const std::vector<Event>& events, uint64_t timeout = UINT64_MAX);

    /// Blocks until one of them is done or @p timeout nanoseconds are over.
    /// @return its place in the list, the first where several are done; empty when the time was
    /// over
    /// @throws as wait() where the first that is over failed; InvalidArgument for an empty list
    static std::optional<size_t> waitAny(const std::vector<Event>& events,
                                         uint64_t timeout = UINT64_MAX);

    /// For the library's own files.
    const std::shared_ptr<EventState>& state() const { return mState; }
    const std::shared_ptr<vulkan::Device>& device() const { return mDevice; }
    vulkan::Queue* queue() const { return mQueue; }

private:
    std::shared_ptr<vulkan::Device> mDevice; ///< of a plain point
    vulkan::Queue* mQueue = nullptr;
    uint64_t mValue = 0;
    vulkan::WaitMode mWaitMode{};
    uint32_t mPart = kWhole;
    std::shared_ptr<EventState> mState; ///< null for a plain point
};

/// An event that the host signals: launches that wait for it start when set() is called. Copies
/// stand for the same event. When the last UserEvent of it is gone without set() or fail(), it
/// fails, so that nothing waits for ever. Thread-safe.
class KOMPUTE_API UserEvent : public Event {
public:
    UserEvent();
    ~UserEvent();
    UserEvent(const UserEvent&);
    UserEvent& operator=(const UserEvent&);

    /// Signals it. What waits for it is started in this call.
    /// @throws InvalidArgument where it was set or failed already
    void set();
    /// Fails it, and with it all that waits for it. @throws InvalidArgument as set()
    void fail(std::exception_ptr error);
    template <typename E>
    void fail(const E& error) {
        fail(std::make_exception_ptr(error));
    }

private:
    struct Promise;
    std::shared_ptr<Promise> mPromise;
};

} // namespace kp
