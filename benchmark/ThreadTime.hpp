// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>

namespace kp::benchmark {

/// Returns the processor time of the calling thread in seconds. Unlike a clock, it does not count
/// the time of other threads, such as a software driver's. On a system without such a timer
/// it is a clock.
inline double threadSeconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#else
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
#endif
}

} // namespace kp::benchmark
