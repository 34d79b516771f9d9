// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Event.hpp>
#include <kompute/Manager.hpp>
#include <kompute/WaitLimit.hpp>

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

/// Raises the exception of a signal handler; ends waits of host functions when the interpreter
/// ends.
void throwIfInterrupted();

/// Waits without the GIL, in slices, so that Ctrl-C raises KeyboardInterrupt in the main thread.
/// @param timeout  nanoseconds; UINT64_MAX waits forever
/// @return false on a timeout
bool waitFor(const Event& event, uint64_t timeout = UINT64_MAX);

/// Same for all of them. After all have ended, rethrows the first failure in list order.
bool waitForAll(const std::vector<Event>& events, uint64_t timeout = UINT64_MAX);

/// Same for one event, whose failure is not rethrown: the holders of the event get it.
void waitForEnd(const Event& event);

/// Same for all work that is submitted to the manager's device.
void waitForSubmitted(const Manager& manager);

/// Runs a transfer, which may be repeated, without the GIL. If it would wait long for earlier work,
/// it is given up, and repeated after that work, so that Ctrl-C is noticed in between.
template <typename Transfer>
void transferBetweenSignals(const Manager& manager, const Transfer& transfer) {
    try {
        const WaitLimit limit(kWaitSlice);
        const py::gil_scoped_release release;
        transfer();
        return;
    } catch (const Error& error) {
        if (!WaitLimit::caused(error))
            throw;
    }
    throwIfInterrupted();
    waitForSubmitted(manager);
    const py::gil_scoped_release release;
    transfer(); // without a limit, so that it ends although other threads submit more
}

/// Counts the functions that run in the background.
class BackgroundRun {
public:
    BackgroundRun();
    ~BackgroundRun();
    BackgroundRun(const BackgroundRun&) = delete;
    BackgroundRun& operator=(const BackgroundRun&) = delete;
};
/// Waits for them, without the GIL.
void awaitBackground();
/// Forgets them in a forked child, which does not have their threads.
void forgetBackground();

/// Runs a function on a thread of its own and waits for it, without the GIL. Ctrl-C ends the wait,
/// but not the function, which must own what it uses. The end of the interpreter waits for it.
template <typename Function>
auto runBetweenSignals(Function function) {
    using Result = decltype(function());
    auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
    std::future<Result> result = task->get_future();
    try {
        std::thread([task, run = std::make_shared<BackgroundRun>()]() mutable {
            (*task)();
            task.reset();
        }).detach();
    } catch (const std::system_error&) { // no more threads
        const py::gil_scoped_release release;
        (*task)();
    }
    for (;;) {
        {
            const py::gil_scoped_release release;
            if (result.wait_for(std::chrono::nanoseconds(kWaitSlice)) == std::future_status::ready)
                break;
        }
        throwIfInterrupted();
    }
    return result.get();
}

} // namespace kp::python
