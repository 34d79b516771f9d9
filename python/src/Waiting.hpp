// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "Handles.hpp"

namespace kp::python {

/// Counts down a timeout in nanoseconds.
class TimeLimit {
public:
    explicit TimeLimit(uint64_t timeout)
        : mTimeout(timeout), mStart(std::chrono::steady_clock::now()) {}
    uint64_t left() const {
        if (mTimeout == UINT64_MAX)
            return mTimeout;
        const auto spent =
            static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                      std::chrono::steady_clock::now() - mStart)
                                      .count());
        return mTimeout - std::min(spent, mTimeout);
    }

private:
    uint64_t mTimeout;
    std::chrono::steady_clock::time_point mStart;
};

/// How long Ctrl-C may take to be noticed, in nanoseconds.
constexpr uint64_t kWaitSlice = 50'000'000;

/// Raises what a signal handler raised; ends waits of host functions when the interpreter ends.
void throwIfInterrupted();

/// Waits without the GIL, in slices, so that Ctrl-C raises KeyboardInterrupt in the main thread.
/// @param timeout  nanoseconds; UINT64_MAX waits for ever
/// @return false when the time was over first
bool waitFor(const Event& event, uint64_t timeout = UINT64_MAX);

/// Same for all of them. Once all are over, rethrows the first failure in the order of the list.
bool waitForAll(const std::vector<Event>& events, uint64_t timeout = UINT64_MAX);

} // namespace kp::python
