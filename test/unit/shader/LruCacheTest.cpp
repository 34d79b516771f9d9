// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/LruCache.hpp"

#include <gtest/gtest.h>

#include "unit/TestThreads.hpp"

namespace kp::shader {
namespace {

Hash key(uint64_t number) {
    return {number, ~number};
}

TEST(LruCache, ReturnsWhatWasPut) {
    LruCache<int> cache(10);
    EXPECT_FALSE(cache.get(key(1)));
    cache.put(key(1), 11, 1);
    EXPECT_EQ(cache.get(key(1)), 11);
    cache.put(key(1), 12, 3);
    EXPECT_EQ(cache.get(key(1)), 12);
    EXPECT_EQ(cache.size(), 1u);
    EXPECT_EQ(cache.bytes(), 3u);
}

TEST(LruCache, EvictsTheLeastRecentlyUsedEntry) {
    LruCache<int> cache(3);
    cache.put(key(1), 1, 1);
    cache.put(key(2), 2, 1);
    cache.put(key(3), 3, 1);
    EXPECT_TRUE(cache.get(key(1)));
    cache.put(key(4), 4, 1);
    EXPECT_TRUE(cache.get(key(1)));
    EXPECT_FALSE(cache.get(key(2)));
    EXPECT_TRUE(cache.get(key(3)));
    EXPECT_TRUE(cache.get(key(4)));
}

TEST(LruCache, StaysWithinItsByteLimit) {
    LruCache<int> cache(100);
    for (uint64_t i = 0; i < 1000; ++i) {
        cache.put(key(i), static_cast<int>(i), 7);
        EXPECT_LE(cache.bytes(), 100u);
    }
    EXPECT_EQ(cache.size(), 14u);
    cache.put(key(5000), 1, 100);
    EXPECT_EQ(cache.size(), 1u);
    cache.put(key(5001), 1, 101);
    EXPECT_FALSE(cache.get(key(5001)));
    EXPECT_TRUE(cache.get(key(5000)));
    cache.clear();
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_EQ(cache.bytes(), 0u);
}

TEST(LruCache, ServesManyThreads) {
    LruCache<uint64_t> cache(64);
    test::runInThreads(4, [&](int thread) {
        for (uint64_t i = 0; i < 2000; ++i) {
            const uint64_t number = (i * static_cast<uint64_t>(thread + 1)) % 100;
            cache.put(key(number), number, 1);
            if (const auto value = cache.get(key(number))) {
                EXPECT_EQ(*value, number);
            }
        }
    });
    EXPECT_EQ(cache.size(), 64u);
}

} // namespace
} // namespace kp::shader
