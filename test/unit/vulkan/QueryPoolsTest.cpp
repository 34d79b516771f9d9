// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Pools.hpp"

#include <gtest/gtest.h>

namespace kp::vulkan::test {
namespace {

using Times = std::vector<uint64_t>;

constexpr uint64_t kWraparound36 = uint64_t{1} << 36;

TEST(Timestamps, ConvertsTicksToNanoseconds) {
    EXPECT_EQ(toNanoseconds({10, 20, 25}, 64, 10.0), (Times{100, 200, 250}));
    EXPECT_EQ(toNanoseconds({3, 6}, 36, 0.5), (Times{1, 3}));
    EXPECT_EQ(toNanoseconds({}, 64, 1.0), Times{});
}

TEST(Timestamps, IgnoresInvalidBits) {
    const uint64_t invalidBits = uint64_t{0xABC} << 36;
    EXPECT_EQ(toNanoseconds({invalidBits + 7, 9}, 36, 2.0), (Times{14, 18}));
    EXPECT_EQ(toNanoseconds({7, invalidBits + 9}, 36, 2.0), (Times{14, 18}));
}

TEST(Timestamps, KeepsDifferencesAcrossAWraparound) {
    const Times times = toNanoseconds({kWraparound36 - 5, kWraparound36 - 1, 0, 15}, 36, 10.0);
    ASSERT_EQ(times.size(), 4u);
    EXPECT_EQ(times[0], (kWraparound36 - 5) * 10);
    EXPECT_EQ(times[1] - times[0], 40u);
    EXPECT_EQ(times[2] - times[0], 50u);
    EXPECT_EQ(times[3] - times[0], 200u);
}

TEST(Timestamps, DoesNotTakeASmallStepBackForAWraparound) {
    EXPECT_EQ(toNanoseconds({100, 98}, 36, 10.0), (Times{1000, 980}));
    EXPECT_EQ(toNanoseconds({100, 98}, 64, 1.0), (Times{100, 98}));
    EXPECT_EQ(toNanoseconds({1, kWraparound36 - 1}, 36, 10.0), (Times{10, 0}))
        << "a time is never negative";
}

TEST(Timestamps, ConvertsNanosecondTicksExactly) {
    const uint64_t now = 1'700'000'000'123'456'789; // a double resolves only 256 ns here
    EXPECT_EQ(toNanoseconds({now, now + 1, now + 3}, 64, 1.0), (Times{now, now + 1, now + 3}));
}

} // namespace
} // namespace kp::vulkan::test
