// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tune/TuningBench.hpp"

namespace kp::tune {
namespace {

template <typename T>
std::string compare(const std::vector<T>& actual, const std::vector<T>& expected,
                    double relative = 0, double absolute = 0) {
    return compareValues(Memory::dataType<T>(), sizeof(T),
                         reinterpret_cast<const unsigned char*>(actual.data()),
                         reinterpret_cast<const unsigned char*>(expected.data()),
                         actual.size() * sizeof(T), relative, absolute);
}

TEST(TuningVerify, AppliesTolerancesToFloatingPointValues) {
    EXPECT_EQ(compare<float>({1, 2}, {1, 2}), "");
    EXPECT_EQ(compare<float>({1, 2.5f}, {1, 2}), "element 1 is 2.5 instead of 2");
    EXPECT_EQ(compare<float>({1.001f}, {1}, 1e-2), "");
    EXPECT_NE(compare<float>({1.001f}, {1}, 1e-4), "");
    EXPECT_EQ(compare<float>({1e-7f}, {0}, 0, 1e-6), "");
    EXPECT_EQ(compare<double>({-100.5}, {-100}, 1e-2), "");
    EXPECT_EQ(compare<Half>({Half(1.0f)}, {Half(1.001f)}, 1e-2), "");
    EXPECT_NE(compare<Half>({Half(1.0f)}, {Half(2.0f)}, 1e-2), "");
    EXPECT_NE(compare<BFloat16>({BFloat16(1.0f)}, {BFloat16(2.0f)}, 1e-2), "");
    EXPECT_EQ(compare<int32_t>({1, -2}, {1, -2}, 1, 1), "");
    EXPECT_EQ(compare<int32_t>({1, -3}, {1, -2}, 1, 1), "element 1 differs")
        << "integers have no tolerance";
    EXPECT_EQ(compare<uint8_t>({1, 2, 3}, {1, 2, 4}), "element 2 differs");
}

TEST(TuningVerify, ComparesNaNsAndInfinities) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(compare<float>({kNan}, {kNan}), "");
    EXPECT_EQ(compare<float>({-0.0f}, {0.0f}), "");
    EXPECT_EQ(compare<float>({kInfinity}, {kInfinity}, 1), "");
    EXPECT_NE(compare<float>({kNan}, {1}, 1, 1), "");
    EXPECT_NE(compare<float>({1}, {kNan}, 1, 1), "");
    EXPECT_NE(compare<float>({1}, {kInfinity}, 1, 1), "");
    EXPECT_NE(compare<float>({kInfinity}, {-kInfinity}, 1, 1), "");
}

TEST(ConsoleProgress, PrintsOneLinePerRoundWithoutATerminal) {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const TuningCallback callback = consoleProgress(file);
    TuningProgress progress;
    progress.kernel = "matmul";
    progress.round = 1;
    progress.rounds = 4;
    progress.total = 8;
    progress.budgetSeconds = 10;
    progress.bestNanoseconds = 1500;
    progress.best = TuningConfiguration({{"tile", int64_t{16}}});
    for (progress.done = 1; progress.done <= progress.total; ++progress.done)
        EXPECT_TRUE(callback(progress));
    std::rewind(file);
    std::string text(1000, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    EXPECT_EQ(text, "matmul round 1/4 [========================] 8/8 0.0/10.0 s best 1.50 us: "
                    "tile=16\n");
}

} // namespace
} // namespace kp::tune
