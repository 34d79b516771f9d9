// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/launch/KernelStatistics.hpp>

namespace kp {
namespace {

KernelStatistics of(const std::vector<uint64_t>& times) {
    KernelStatistics statistics;
    for (const uint64_t time : times)
        statistics.add(time);
    return statistics;
}

TEST(KernelStatisticsTest, ComputesTheFiguresOfAFewRuns) {
    const KernelStatistics s = of({4, 2, 8, 6});
    EXPECT_EQ(s.count(), 4u);
    EXPECT_EQ(s.total(), 20u);
    EXPECT_EQ(s.min(), 2u);
    EXPECT_EQ(s.max(), 8u);
    EXPECT_DOUBLE_EQ(s.mean(), 5.0);
    EXPECT_DOUBLE_EQ(s.variance(), 5.0);
    EXPECT_DOUBLE_EQ(s.stddev(), std::sqrt(5.0));
    EXPECT_DOUBLE_EQ(s.median(), 5.0);
    EXPECT_DOUBLE_EQ(s.percentile(0), 2.0);
    EXPECT_DOUBLE_EQ(s.percentile(100), 8.0);
    EXPECT_DOUBLE_EQ(s.percentile(50), 5.0);
    EXPECT_THROW(s.percentile(101), InvalidArgument);
    EXPECT_THROW(s.percentile(std::nan("")), InvalidArgument);
}

TEST(KernelStatisticsTest, IsZeroWithoutRuns) {
    const KernelStatistics s;
    EXPECT_EQ(s.count() + s.total() + s.min() + s.max(), 0u);
    EXPECT_EQ(s.mean() + s.variance() + s.median() + s.bytesPerSecond(), 0.0);
    EXPECT_EQ((s + of({3})).min(), 3u);
    EXPECT_EQ((of({3}) + s).min(), 3u);
}

TEST(KernelStatisticsTest, KeepsTheVarianceOfLargeTimes) {
    const uint64_t base = 1'000'000'000'000;
    EXPECT_NEAR(of({base + 1, base + 3}).variance(), 1.0, 1e-6);
}

TEST(KernelStatisticsTest, MergingIsAssociative) {
    const KernelStatistics a = of({1, 5, 9});
    const KernelStatistics b = of({100, 3});
    const KernelStatistics c = of({7, 7, 7, 1000});
    const KernelStatistics left = (a + b) + c;
    const KernelStatistics right = a + (b + c);
    const KernelStatistics all = of({1, 5, 9, 100, 3, 7, 7, 7, 1000});
    for (const KernelStatistics& s : {left, right}) {
        EXPECT_EQ(s.count(), all.count());
        EXPECT_EQ(s.total(), all.total());
        EXPECT_EQ(s.min(), all.min());
        EXPECT_EQ(s.max(), all.max());
        EXPECT_NEAR(s.variance(), all.variance(), 1e-6 * all.variance());
        EXPECT_DOUBLE_EQ(s.median(), all.median());
    }
}

TEST(KernelStatisticsTest, SamplesManyRunsEvenly) {
    KernelStatistics s;
    constexpr uint64_t kCount = 100'000;
    for (uint64_t i = 0; i < kCount; ++i)
        s.add(i);
    EXPECT_EQ(s.count(), kCount);
    EXPECT_NEAR(s.median(), kCount / 2.0, kCount * 0.01);
    EXPECT_NEAR(s.percentile(95), kCount * 0.95, kCount * 0.01);
    KernelStatistics few = of({5});
    few += s;
    EXPECT_EQ(few.count(), kCount + 1);
    EXPECT_NEAR(few.median(), kCount / 2.0, kCount * 0.01);
}

TEST(KernelStatisticsTest, ComputesTheRateOfCopies) {
    KernelStatistics s;
    s.add(1000, 4000);
    s.add(1000, 4000);
    EXPECT_EQ(s.bytes(), 8000u);
    EXPECT_DOUBLE_EQ(s.bytesPerSecond(), 4e9);
    EXPECT_NE(s.toString().find("4.00 GB/s"), std::string::npos) << s.toString();
}

TEST(KernelStatisticsTest, SortsTheTableByTotalTime) {
    const std::string table = toTable({{"short", of({1})}, {"long", of({1000, 3000})}});
    EXPECT_LT(table.find("long"), table.find("short")) << table;
    EXPECT_NE(table.find("4.000 us"), std::string::npos) << table;
    EXPECT_TRUE(of({1}) < of({2}));
}

} // namespace
} // namespace kp
