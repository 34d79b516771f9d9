// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace kp {

/// A timeout that starts when this object is made.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    /// @param timeout  nanoseconds; UINT64_MAX never ends
    explicit Deadline(uint64_t timeout) : mTimeout(timeout), mStart(Clock::now()) {}

    Clock::time_point start() const { return mStart; }

    /// Returns the nanoseconds left, 0 after the end; UINT64_MAX if the timeout never ends.
    uint64_t left() const {
        if (mTimeout == UINT64_MAX)
            return mTimeout;
        const auto spent = static_cast<uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - mStart).count());
        return spent < mTimeout ? mTimeout - spent : 0;
    }

private:
    uint64_t mTimeout;
    Clock::time_point mStart;
};

} // namespace kp
