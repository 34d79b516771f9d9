// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/queue/Event.hpp>
#include <kompute/queue/WaitLimit.hpp>

#include "base/Gil.hpp"
#include "base/Pybind.hpp"

namespace kp::python {

/// Counts down a timeout in nanoseconds.
class TimeLimit {
public:
    explicit TimeLimit(uint64_t timeout) : mTimeout(timeout) {}
    uint64_t left() const;

private:
    uint64_t mTimeout;
    std::chrono::steady_clock::time_point mStart = std::chrono::steady_clock::now();
};

/// The longest time until Ctrl-C is noticed, in nanoseconds.
constexpr uint64_t kWaitSlice = 50'000'000;
/// The same for transfers while other threads submit more work.
constexpr uint64_t kMostWaitSlice = 1'000'000'000;

/// Raises the exception of a signal handler; ends waits of host functions when the interpreter
/// ends.
void throwIfInterrupted();
/// The number of times that it has raised the exception of a signal handler.
uint64_t interruptions();

/// Waits without the GIL, in slices, so that Ctrl-C raises KeyboardInterrupt in the main thread.
/// @param timeout  nanoseconds; UINT64_MAX waits forever
/// @return false on a timeout
bool waitFor(const Event& event, uint64_t timeout = UINT64_MAX);

/// Same for all of them. After all have ended, rethrows the first failure in list order.
bool waitForAll(const std::vector<Event>& events, uint64_t timeout = UINT64_MAX);

/// Same for one event, whose failure is not rethrown: the holders of the event get it.
void waitForEnd(const Event& event);

/// Same for destructors.
/// @return false if a signal handler raised, which Python raises next, or if the interpreter ends
bool waitInDestructor(const Event& event) noexcept;

/// Same for all work that is submitted to the manager's device.
void waitForSubmitted(const Manager& manager);
/// Same for the evaluations that Manager::destroy() waits for. Those that wait for events are
/// cancelled.
void waitForEvaluations(Manager& manager);
/// Returns true if some submitted work is not done.
bool unfinished(const Manager& manager) noexcept;

/// Runs a transfer, which may be repeated, without the GIL. If it would wait long for earlier work,
/// it is abandoned and repeated after that work, so that Ctrl-C is noticed in between.
template <typename Transfer>
void transferBetweenSignals(const Manager& manager, const Transfer& transfer) {
    for (uint64_t slice = kWaitSlice;; slice = std::min(2 * slice, kMostWaitSlice)) {
        try {
            const WaitLimit limit(slice);
            const ReleaseGil release;
            transfer();
            return;
        } catch (const Error& error) {
            if (!WaitLimit::caused(error))
                throw;
        }
        throwIfInterrupted();
        waitForSubmitted(manager);
    }
}

/// Runs a function on its own thread. It must not use Python, and must own its data: the end of the
/// interpreter waits for it. Destroys it in that thread.
/// @return false, with @p function as it was, if no thread can start
bool runInBackground(std::function<void()>& function);
/// Waits for these functions, without the GIL, and starts no more.
void endBackground();
/// Forgets them in a forked child, which does not have their threads.
void forgetBackground();

/// Returns an owner of a library object whose destruction may wait for a device: it runs without
/// the GIL, or in the background if @p unfinished(*object).
template <typename T, typename Unfinished>
std::shared_ptr<T> endWithoutGil(std::shared_ptr<T> object, Unfinished unfinished) {
    T* const pointer = object.get();
    return std::shared_ptr<T>(pointer, [kept = std::move(object), unfinished](T* ended) mutable {
        if (!holdsGil()) {
            kept.reset();
            return;
        }
        if (kept.use_count() == 1 && unfinished(*ended)) {
            std::function<void()> end = [last = std::move(kept)]() mutable { last.reset(); };
            if (runInBackground(end))
                return;
            const ReleaseGil release;
            end = nullptr;
            return;
        }
        const ReleaseGil release;
        kept.reset();
    });
}
/// Same for an object whose destruction does not wait long.
template <typename T>
std::shared_ptr<T> endWithoutGil(std::shared_ptr<T> object) {
    return endWithoutGil(std::move(object), [](const T&) { return false; });
}

/// Runs a function in the background and waits for it, without the GIL. Ctrl-C ends the wait, but
/// not the function.
template <typename Function>
auto runBetweenSignals(Function function) {
    using Result = decltype(function());
    auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
    std::future<Result> result = task->get_future();
    std::function<void()> run = [owned = std::move(task)] { (*owned)(); };
    if (!runInBackground(run)) {
        const ReleaseGil release;
        run();
    }
    for (;;) {
        {
            const ReleaseGil release;
            if (result.wait_for(std::chrono::nanoseconds(kWaitSlice)) == std::future_status::ready)
                break;
        }
        throwIfInterrupted();
    }
    return result.get();
}

} // namespace kp::python
