// SPDX-License-Identifier: Apache-2.0
//
// Waits that ask until the answer is yes.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/Sleep.hpp"

namespace kp {

using PollingClock = std::chrono::steady_clock;

inline void relaxCpu() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#else
    std::this_thread::yield();
#endif
}

/// Asks without a pause, at least once. @return false if the time ends first
template <typename IsDone>
bool spinUntil(PollingClock::time_point end, IsDone isDone) {
    do {
        for (int i = 0; i < 16; ++i) { // the clock costs more than a question
            if (isDone())
                return true;
            relaxCpu();
        }
    } while (PollingClock::now() < end);
    return false;
}

/// Asks between short sleeps, which grow with the wait and bound by how much it ends late: each is
/// a 256th of the time since @p start. @return false if the time ends first
template <typename IsDone>
bool napUntil(PollingClock::time_point start, PollingClock::time_point end, IsDone isDone) {
    constexpr std::chrono::microseconds kMinNap{20};
    constexpr int kShare = 256;
    for (PollingClock::time_point now = PollingClock::now(); now < end; now = PollingClock::now()) {
        const PollingClock::duration nap =
            std::max<PollingClock::duration>(kMinNap, (now - start) / kShare);
        sleepUntil(std::min(end, now + nap));
        if (isDone())
            return true;
    }
    return false;
}

} // namespace kp
