// SPDX-License-Identifier: Apache-2.0
#include "base/Divider.hpp"

#include <random>

#include <gtest/gtest.h>

namespace kp::test {
namespace {

TEST(Divider, DividesAsTheProcessorDoes) {
    std::mt19937 random(1);
    for (int i = 0; i < 200000; ++i) {
        const uint32_t by = (random() >> (1 + random() % 31)) + 1;
        const uint32_t n = random() >> (1 + random() % 31);
        ASSERT_EQ(Divider::of(by).quotient(n), n / by) << n << " / " << by;
    }
    for (const uint32_t by : {1u, 2u, 3u, 0x40000000u, 0x7fffffffu})
        for (const uint32_t n : {0u, 1u, by - 1, by, 0x7ffffffeu, 0x7fffffffu})
            EXPECT_EQ(Divider::of(by).quotient(n), n / by) << n << " / " << by;
}

} // namespace
} // namespace kp::test
