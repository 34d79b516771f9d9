// SPDX-License-Identifier: Apache-2.0
#include "base/Sleep.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace kp::test {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Sleep, LastsAboutAsLongAsAsked) {
    sleepPrecisely();
    sleepUntil(Clock::now() - std::chrono::seconds(1)); // is over
    Clock::duration shortest = Clock::duration::max();
    for (int i = 0; i < 20; ++i) {
        const Clock::time_point start = Clock::now();
        sleepUntil(start + std::chrono::microseconds(200));
        shortest = std::min(shortest, Clock::now() - start);
    }
    EXPECT_GE(shortest, std::chrono::microseconds(150));
    EXPECT_LE(shortest, std::chrono::milliseconds(10)) << "a tick of Windows's clock takes 15.6 ms";
}

} // namespace
} // namespace kp::test
