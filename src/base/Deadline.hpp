// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

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

    /// Waits until @p done returns true. @return false if the time ends first
    template <typename Done>
    bool wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
              const Done& done) const {
        constexpr uint64_t kEndless = uint64_t{1} << 60; // the clock cannot count to longer times
        const uint64_t time = left();
        if (time < kEndless)
            return changed.wait_for(lock, std::chrono::nanoseconds(time), done);
        changed.wait(lock, done);
        return true;
    }

private:
    uint64_t mTimeout;
    Clock::time_point mStart;
};

} // namespace kp
