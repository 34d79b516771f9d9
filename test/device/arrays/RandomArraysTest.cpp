// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <kompute/Kompute.hpp>
#include <kompute/arrays/Random.hpp>

#include "ArraySupport.hpp"

namespace kp::test {
namespace {

class RandomArraysTest : public ArrayTest {
protected:
    /// The numbers that OpRandom gives from a counter on.
    std::vector<float> drawn(size_t count, const Distribution& distribution, uint64_t counter) {
        const auto tensor = manager.tensorT<float>(count);
        manager.sequence()
            ->record<OpRandom>(tensor, distribution, RandomState{42, counter, 3})
            ->record<OpSyncLocal>({tensor})
            ->eval();
        return tensor->vector();
    }

    RandomGenerator rng{42, 3, &manager};
};

TEST_F(RandomArraysTest, EachCallTakesTheNextNumbers) {
    const Array normal = rng.normal({2, 5}, 1, 2, DType::eFloat32);
    const Array uniform = rng.uniform({7}, -1, 1, DType::eFloat32);
    const Array waits = rng.exponential({3}, 0.5, DType::eFloat32);
    EXPECT_EQ(rng.state().counter, 20u);
    expectArray<float>(normal, {2, 5}, drawn(10, Distribution::normal(1, 2), 0));
    expectRow<float>(uniform, drawn(7, Distribution::uniform(-1, 1), 10));
    expectRow<float>(waits, drawn(3, Distribution::exponential(0.5), 17));
}

TEST_F(RandomArraysTest, IntegersLeaveOutTheUpperBound) {
    std::vector<int32_t> dice = rng.integers({1000}, 1, 7, DType::eInt32).vector<int32_t>();
    std::ranges::sort(dice);
    EXPECT_EQ(dice.front(), 1);
    EXPECT_EQ(dice.back(), 6);
    EXPECT_ERROR(InvalidArgument, "there are no integers from low=3 to high=3",
                 rng.integers({2}, 3, 3));
    EXPECT_ERROR(InvalidArgument, "300", rng.integers({2}, 0, 301, DType::eUint8));
    EXPECT_EQ(rng.state().counter, 1000u) << "errors take no numbers";
}

TEST_F(RandomArraysTest, PermutationsHaveEachIntegerOnce) {
    std::vector<int64_t> order = rng.permutation(500).vector<int64_t>();
    EXPECT_NE(order, rng.permutation(500).vector<int64_t>());
    EXPECT_EQ(rng.state().counter, 2000u);
    std::ranges::sort(order);
    std::vector<int64_t> expected(500);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
    EXPECT_EQ(rng.permutation(0).size(), 0);
}

TEST_F(RandomArraysTest, NumbersHaveTheDefaultFloat) {
    EXPECT_EQ(rng.uniform({2}).dtype(), defaultFloat(manager));
    EXPECT_EQ(rng.bits({0, 3}).dtype(), DType::eUint32);
    EXPECT_EQ(toString(rng.bits({0, 3}).shape()), "(0, 3)");
}

TEST_F(RandomArraysTest, WrongTypesAndShapesAreRefused) {
    EXPECT_ERROR(InvalidArgument, "eInt", rng.normal({2}, 0, 1, DType::eInt32));
    EXPECT_ERROR(InvalidArgument, "-1", rng.uniform({-1}));
    EXPECT_ERROR(InvalidArgument, "-1", rng.permutation(-1));
    EXPECT_EQ(rng.state().counter, 0u);
}

TEST_F(RandomArraysTest, NumbersArePartsOfExpressions) {
    const Array x = rng.uniform({100}, 0, 1, DType::eFloat32);
    EXPECT_TRUE(kp::all(logicalAnd(x >= 0, x < 1)).item<bool>());
    EXPECT_NEAR(mean(x * 2 + 1).item<float>(), 2, 0.3);
}

} // namespace
} // namespace kp::test
