// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>

namespace kp::benchmark {

/// Seconds that the calling thread has had a processor: what it spent itself, however often others
/// (the threads of a software driver, another program) took its turn. Where the system does not
/// say, seconds of a clock.
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
