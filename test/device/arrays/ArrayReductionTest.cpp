// SPDX-License-Identifier: Apache-2.0
//
// Reductions: over all elements and along axes, of expressions, views and every size.
#include "ArraySupport.hpp"

namespace kp::test {
namespace {

class ArrayReductionTest : public ArrayTest {};

TEST_F(ArrayReductionTest, ReducesAlongAxes) {
    const Array x = counting({2, 3, 4});
    EXPECT_EQ(sum(x).item<float>(), 276.0f);
    expectArray<float>(sum(x, 0), {3, 4}, {12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34});
    expectArray<float>(sum(x, {0, -1}), {3}, {60, 92, 124});
    expectArray<float>(sum(x, {1, 2}, true), {2, 1, 1}, {66, 210});
    expectArray<float>(max(x, 2), {2, 3}, {3, 7, 11, 15, 19, 23});
    expectArray<float>(min(x.transpose(), 0), {3, 2}, {0, 12, 4, 16, 8, 20});
    expectArray<float>(mean(x, {0, 1}), {4}, {10, 11, 12, 13});
    expectNear<float>(var(x(0, 0)), {1.25});
    expectNear<float>(var(x(0, 0), {}, 1), {5.0 / 3});
    expectNear<float>(stddev(x(0, 0)), {std::sqrt(1.25)});
    expectArray<bool>(any(x > 22, {0, 1}), {4}, {false, false, false, true});
    EXPECT_TRUE(all(x >= 0).item<bool>());
    EXPECT_ERROR(InvalidArgument, "axis 3 is out of bounds", sum(x, 3));
    EXPECT_ERROR(InvalidArgument, "axis 1 is given twice", sum(x, {1, -2}));
}

TEST_F(ArrayReductionTest, ReducesViewsAndExpressionsOfEverySize) {
    for (const int64_t size : {1, 2, 31, 33, 127, 129, 1000, 4097, 70000, 200001}) {
        SCOPED_TRACE(size);
        const Array x = arange(0, size, 1, DType::eInt32, &manager) % 100;
        int64_t total = 0;
        int64_t even = 0;
        for (int64_t i = 0; i < size; ++i) {
            total += i % 100;
            even += i % 2 == 0 ? i % 100 : 0;
        }
        const DType wide = has(DType::eInt64) ? DType::eInt64 : DType::eInt32;
        const auto summed = [&](const Array& y) {
            return reduce(y, ReduceOperation::eSum, {}, wide, wide).item<int64_t>();
        };
        EXPECT_EQ(summed(x), total);
        EXPECT_EQ(summed(x(Slice(begin, end, 2))), even);
        EXPECT_EQ(summed(x * 2 + 1), 2 * total + size);
        EXPECT_EQ(max(x).item<int>(), std::min<int64_t>(size - 1, 99));
        EXPECT_EQ(min(-x).item<int>(), -std::min<int64_t>(size - 1, 99));
    }
}

TEST_F(ArrayReductionTest, TotalsOfNothingAreTheIdentity) {
    const Array none = zeros({0, 3}, DType::eFloat32, &manager);
    EXPECT_EQ(sum(none).item<float>(), 0.0f);
    EXPECT_EQ(prod(none).item<float>(), 1.0f);
    expectRow<float>(sum(none, 0), {0, 0, 0});
    EXPECT_TRUE(all(none).item<bool>());
    EXPECT_FALSE(any(none).item<bool>());
    EXPECT_TRUE(std::isnan(mean(none).item<float>()));
    EXPECT_ERROR(InvalidArgument, "no elements", max(none));
    EXPECT_EQ(max(none, 1).size(), 0);
}

TEST_F(ArrayReductionTest, ExtremesAreNanIfAnElementIs) {
    const Array x = of<float>({1, std::nanf(""), 3});
    EXPECT_TRUE(std::isnan(min(x).item<float>()));
    EXPECT_TRUE(std::isnan(max(x).item<float>()));
    EXPECT_EQ(max(of<uint8_t>({3, 255, 0})).item<int>(), 255);
    EXPECT_EQ(min(of<int8_t>({3, -128, 0})).item<int>(), -128);
    EXPECT_ERROR(InvalidArgument, "complex", max(x.astype(DType::eComplex64)));
}

TEST_F(ArrayReductionTest, ReducesByGlsl) {
    const Array x = of<float>({1, -5, 3});
    const Array largest = reduce(x, {}, DType::eFloat32, "max(abs({0}), abs({1}))", "0.0");
    EXPECT_EQ(largest.item<float>(), 5.0f);
    const Array norm = reduce(square(x), {}, DType::eFloat32, "{0} + {1}", "0.0", "sqrt({0})");
    expectNear<float>(norm, {std::sqrt(35.0)});
    if (has(DType::eInt64)) {
        EXPECT_EQ(countNonzero(of<float>({0, 1, 2})).item<int>(), 2);
    }
}

} // namespace
} // namespace kp::test
