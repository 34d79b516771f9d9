// SPDX-License-Identifier: Apache-2.0
//
// Indices beyond their axes, and functions that one kernel computes.
#include <kompute/arrays/Engine.hpp>

#include "ArraySupport.hpp"
#include "core/manager/ManagerImpl.hpp"

namespace kp::test {
namespace {

class ArrayBoundsTest : public ArrayTest {
protected:
    /// Counts the launches of a call.
    template <typename Call>
    uint64_t launches(const Call& call) {
        const uint64_t before = manager.activity().launches;
        call();
        return manager.activity().launches - before;
    }
};

TEST_F(ArrayBoundsTest, IndicesBeyondTheirAxisAreErrorsThatNameThem) {
    const Array x = counting({2, 3});
    EXPECT_ERROR(arrays::OutOfBounds, "axis 1 with 3 elements: the indices are from -4 to 2",
                 take(x, of<int32_t>({2, -4}), 1));
    EXPECT_ERROR(arrays::OutOfBounds, "axis 0 with 2 elements: the indices are from 2 to 2",
                 take(x, of<uint32_t>({2}), 0));
    EXPECT_ERROR(InvalidArgument, "out of bounds",
                 take(zeros({0, 3}, DType::eFloat32, &manager), of<int32_t>({0}), 0));
    EXPECT_ERROR(
        arrays::OutOfBounds, "axis 0 with 0 elements",
        takeAlongAxis(zeros({0, 3}, DType::eFloat32, &manager), of<int32_t>({0, 0, 0}, {1, 3}), 0));
    expectArray<float>(take(x, of<int32_t>({-1, 0}), 1), {2, 2}, {2, 0, 5, 3});
}

TEST_F(ArrayBoundsTest, ATypeThatReachesNoExtentIsNotChecked) {
    if (!has(DType::eInt8))
        GTEST_SKIP() << "the device has no int8";
    const Array x = counting({200});
    expectRow<float>(take(x, of<int8_t>({127, -128})), {127, 72});
    EXPECT_ERROR(arrays::OutOfBounds, "from -128 to 127",
                 take(counting({127}), of<int8_t>({127, -128})));
}

TEST_F(ArrayBoundsTest, OfSeveralIndicesTheWrongOneIsNamed) {
    const Array x = counting({2, 3});
    const Array still = x.strided(0, {2}, {0});
    const auto taken = [&](const Array& row, const Array& column) {
        return arrays::take(still, {row, column}, {{2, 3, 0}, {3, 1, 1}});
    };
    expectRow<float>(taken(of<int32_t>({1, 0}), of<int32_t>({2, -1})), {5, 2});
    EXPECT_ERROR(arrays::OutOfBounds, "axis 1 with 3 elements",
                 taken(of<int32_t>({1, 0}), of<int32_t>({3, 0})));
    EXPECT_ERROR(arrays::OutOfBounds, "axis 0 with 2 elements",
                 taken(of<int32_t>({-3, 0}), of<int32_t>({0, 0})));
}

TEST_F(ArrayBoundsTest, NothingIsSetIfAnIndexIsWrong) {
    const Array x = counting({3});
    EXPECT_ERROR(arrays::OutOfBounds, "from 0 to 3", put(x, of<int32_t>({0, 3}), 9));
    expectRow<float>(x, {0, 1, 2});
}

TEST_F(ArrayBoundsTest, AWrongIndexIsFoundAfterManyRightOnes) {
    const Array x = counting({64});
    for (int32_t i = 0; i < 50; ++i) {
        EXPECT_EQ(take(x, of<int32_t>({i}))(0).item<float>(), static_cast<float>(i));
        EXPECT_ERROR(arrays::OutOfBounds, "out of bounds", take(x, of<int32_t>({64 + i})));
    }
}

TEST_F(ArrayBoundsTest, OneKernelTakesAndChecks) {
    const Array x = counting({100});
    const Array places = of<int32_t>({5, 3}).evaluate();
    static_cast<void>(x.evaluate());
    EXPECT_EQ(launches([&] { static_cast<void>(take(x, places).evaluate()); }), 1u);
}

TEST_F(ArrayBoundsTest, OneKernelComputesWhatIsComputedTogether) {
    const Array x = counting({100}).evaluate();
    const Array sum = x + 1;
    const Array product = x * 2;
    arrays::together({sum, product});
    EXPECT_EQ(launches([&] {
                  static_cast<void>(product.evaluate());
                  static_cast<void>(sum.evaluate());
              }),
              1u);
    EXPECT_EQ(sum(99).item<float>(), 100.0f);
    EXPECT_EQ(product(99).item<float>(), 198.0f);
}

TEST_F(ArrayBoundsTest, WhatNobodyWantsIsNotComputedTogether) {
    const Array x = counting({4}).evaluate();
    const Array wanted = x + 1;
    {
        const Array dropped = x * 2;
        arrays::together({wanted, dropped});
    }
    expectRow<float>(wanted, {1, 2, 3, 4});
}

TEST_F(ArrayBoundsTest, OneKernelJoinsArraysOfOneShape) {
    const Array x = counting({2, 3}).evaluate();
    const Array y = (x + 10).evaluate();
    Array joined;
    EXPECT_EQ(launches([&] { joined = concat({x, y}, 1); }), 1u);
    expectArray<float>(joined, {2, 6}, {0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15});
    expectRow<float>(concat({of<float>({1}), of<float>({2, 3}), of<float>({4, 5})}),
                     {1, 2, 3, 4, 5});
}

TEST_F(ArrayBoundsTest, OneKernelRollsAndComputes) {
    const Array x = counting({2, 3}).evaluate();
    Array turned;
    // Drivers that compute on the processor move rows first.
    const uint64_t expected = implOf(manager).device->physical().isCpu() ? 3 : 1;
    EXPECT_EQ(launches([&] { turned = (roll(x, 1, 1) - roll(x, -1, 0)).evaluate(); }), expected);
    expectArray<float>(turned, {2, 3}, {-1, -4, -4, 5, 2, 2});
    expectArray<float>(roll(x, 4), {2, 3}, {2, 3, 4, 5, 0, 1});
}

} // namespace
} // namespace kp::test
