// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

namespace vulkan {
class Device;
class Queue;
enum class WaitMode;
} // namespace vulkan

class EventState;

namespace detail {

/// Returns a std::chrono::duration as nanoseconds without its header: 0 if it is negative,
/// UINT64_MAX if it is too long.
template <typename Duration, typename Period = typename Duration::period>
uint64_t nanoseconds(const Duration& duration) {
    const double value =
        static_cast<double>(duration.count()) *
        (1e9 * static_cast<double>(Period::num) / static_cast<double>(Period::den));
    if (!(value > 0))
        return 0;
    return value < 1.8e19 ? static_cast<uint64_t>(value) : UINT64_MAX;
}

} // namespace detail

/// A function without arguments and result: like std::function<void()>, without its header, which
/// would be a sixth of this library's includes. Copies share the function.
class Callback {
public:
    /// Creates an empty one.
    Callback() = default;
    Callback(std::nullptr_t) {}
    /// Takes anything that can be called. An empty std::function or pointer makes an empty one.
    template <typename Function,
              typename = std::enable_if_t<!std::is_same<std::decay_t<Function>, Callback>::value &&
                                          std::is_invocable<std::decay_t<Function>&>::value>>
    Callback(Function&& function) {
        using Held = std::decay_t<Function>;
        if constexpr (std::is_constructible<Held, std::nullptr_t>::value &&
                      std::is_constructible<bool, const Held&>::value)
            if (!static_cast<bool>(function))
                return;
        mHeld = std::make_shared<Held>(std::forward<Function>(function));
        mCall = [](void* held) { (*static_cast<Held*>(held))(); };
    }

    explicit operator bool() const { return mCall != nullptr; }
    /// Calls the function. It must not be empty.
    void operator()() const { mCall(mHeld.get()); }

private:
    std::shared_ptr<void> mHeld;
    void (*mCall)(void*) = nullptr;
};

/// State of the work behind an event.
enum class EventStatus {
    eQueued,    ///< waiting on the host for other work; not submitted to the device yet
    eSubmitted, ///< submitted to the device, or the host function is running
    eComplete,  ///< finished
    eError      ///< failed or could not start; wait() throws the reason
};

/// Times of profiled work. Device times start at an arbitrary point and can be compared with other
/// times of the same device. Host times come from std::chrono::steady_clock.
struct EventProfile {
    uint64_t start = 0;     ///< device nanoseconds
    uint64_t end = 0;       ///< device nanoseconds
    uint64_t queued = 0;    ///< host nanoseconds: the call that launched the work
    uint64_t submitted = 0; ///< host nanoseconds: submission to the device

    uint64_t duration() const { return end > start ? end - start : 0; } ///< nanoseconds
};

/// A point in the work of a device, the end of a host function, or a promise of the host
/// (UserEvent). Inexpensive to copy. Remains usable after the sequence, queue or manager that
/// returned it is destroyed. Thread-safe.
///
/// Work that waits for an event does not start if the event fails: it fails with the same
/// exception.
class KOMPUTE_API Event {
public:
    /// Creates an event that is already done.
    Event();
    ~Event();
    Event(const Event&);
    Event& operator=(const Event&);
    Event(Event&&) noexcept;
    Event& operator=(Event&&) noexcept;

    /// Returns true once the work has finished or failed. Never blocks.
    /// @throws DeviceLost if the device was lost
    [[nodiscard]] bool done() const;

    /// Returns the state. Never blocks and never throws.
    [[nodiscard]] EventStatus status() const;

    /// Waits until the work is done or @p timeout nanoseconds have passed.
    /// @return false on a timeout
    /// @throws DeviceLost if the device was lost; the exception of a failed host function, or the
    ///         reason why the work did not start
    bool wait(uint64_t timeout = UINT64_MAX) const;
    /// Takes the timeout as a std::chrono::duration.
    template <typename Duration, typename = typename Duration::period>
    bool wait(const Duration& timeout) const {
        return wait(detail::nanoseconds(timeout));
    }

    /// Returns the times of the work. Empty until it is done, if it failed, or if its queue did not
    /// profile it. Never blocks.
    /// @throws DeviceLost
    [[nodiscard]] std::optional<EventProfile> profile() const;

    /// Returns the queue's submission count at this point; 0 for the default event, work that is
    /// not submitted yet, and host work.
    uint64_t value() const;

    /// Returns the name of the kp::Queue that the work was launched on, such as "queue 0"; "" if
    /// there is none.
    std::string queueName() const;

    /// Waits until all events are done or @p timeout nanoseconds have passed.
    /// @return false on a timeout
    /// @throws as wait(): after all have ended, the first error in list order
    static bool waitAll(const std::vector<Event>& events, uint64_t timeout = UINT64_MAX);
    template <typename Duration, typename = typename Duration::period>
    static bool waitAll(const std::vector<Event>& events, const Duration& timeout) {
        return waitAll(events, detail::nanoseconds(timeout));
    }

    /// Waits until one of the events is done or @p timeout nanoseconds have passed.
    /// @return its index, the lowest if several are done; empty on a timeout
    /// @throws as wait() if that event failed; InvalidArgument for an empty list
    static std::optional<size_t> waitAny(const std::vector<Event>& events,
                                         uint64_t timeout = UINT64_MAX);
    template <typename Duration, typename = typename Duration::period>
    static std::optional<size_t> waitAny(const std::vector<Event>& events,
                                         const Duration& timeout) {
        return waitAny(events, detail::nanoseconds(timeout));
    }

private:
    friend struct Internals;
    friend class EventState;
    friend class UserEvent;
    static constexpr uint32_t kWhole = UINT32_MAX;

    /// A plain point.
    Event(std::shared_ptr<vulkan::Device> device, vulkan::Queue* queue, uint64_t value,
          vulkan::WaitMode waitMode);
    /// @param part  timed part of the submission that profile() reports; kWhole for all of it
    explicit Event(std::shared_ptr<EventState> state, uint32_t part = kWhole);

    std::shared_ptr<vulkan::Device> mDevice; ///< of a plain point
    vulkan::Queue* mQueue = nullptr;
    uint64_t mValue = 0;
    vulkan::WaitMode mWaitMode{};
    uint32_t mPart = kWhole;
    std::shared_ptr<EventState> mState; ///< null for a plain point
};

/// Calls @p callback once the work of an event is done, however it ends: at once if it already is,
/// otherwise in a thread of the library. The callback must not throw.
/// @throws InvalidArgument for an empty function
KOMPUTE_API void whenDone(const Event& event, Callback callback);

/// An event that the host signals: launches that wait for it start when set() is called. Copies
/// refer to the same event. The event fails if its last UserEvent is destroyed before set() or
/// fail(), so nothing waits forever. Thread-safe.
class KOMPUTE_API UserEvent : public Event {
public:
    UserEvent();
    ~UserEvent();
    UserEvent(const UserEvent&);
    UserEvent& operator=(const UserEvent&);

    /// Signals the event. Work that waits for it starts within this call.
    /// @throws InvalidArgument if the event was already set or failed
    void set();
    /// Fails the event with @p error, and with it all work that waits for it.
    /// @throws InvalidArgument as set(), or if @p error is null
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
