// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <kompute/Event.hpp>

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

} // namespace kp::python
