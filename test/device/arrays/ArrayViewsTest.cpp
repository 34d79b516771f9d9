// SPDX-License-Identifier: Apache-2.0
//
// Views: slices as Python's, axes in other orders, and other shapes.
#include "ArraySupport.hpp"

#include <optional>

namespace kp::test {
namespace {

class ArrayViewsTest : public ArrayTest {};

/// Returns the indices of Python's range(*slice(start, stop, step).indices(extent)).
std::vector<int64_t> pythonSlice(std::optional<int64_t> start, std::optional<int64_t> stop,
                                 int64_t step, int64_t extent) {
    const int64_t low = step < 0 ? -1 : 0;
    const int64_t high = step < 0 ? extent - 1 : extent;
    const auto bound = [&](std::optional<int64_t> index, int64_t otherwise) {
        if (!index)
            return otherwise;
        return *index < 0 ? std::max(*index + extent, low) : std::min(*index, high);
    };
    const int64_t first = bound(start, step < 0 ? high : low);
    const int64_t last = bound(stop, step < 0 ? low : high);
    std::vector<int64_t> indices;
    for (int64_t i = first; step < 0 ? i > last : i < last; i += step)
        indices.push_back(i);
    return indices;
}

TEST_F(ArrayViewsTest, SlicesSelectWhatPythonsDo) {
    std::vector<std::optional<int64_t>> bounds{std::nullopt};
    for (int64_t i = -7; i <= 7; ++i)
        bounds.emplace_back(i);
    for (const int64_t extent : {0, 1, 5}) {
        const Array x = counting({extent});
        x.evaluate();
        for (const auto& start : bounds)
            for (const auto& stop : bounds)
                for (const int64_t step : {-3, -2, -1, 1, 2, 3}) {
                    const auto expected = pythonSlice(start, stop, step, extent);
                    const Array view = x(Slice(start.value_or(begin), stop.value_or(end), step));
                    ASSERT_EQ(view.size(), static_cast<int64_t>(expected.size()))
                        << extent << ": " << start.value_or(99) << " " << stop.value_or(99) << " "
                        << step;
                    if (!expected.empty()) {
                        ASSERT_EQ(view.offset(), expected[0]);
                    }
                    if (expected.size() > 1) {
                        ASSERT_EQ(view.strides()[0], step);
                    }
                }
    }
}

TEST_F(ArrayViewsTest, StepsAndBoundsMayBeHuge) {
    const Array x = counting({5});
    expectRow<float>(x(Slice(begin, end, INT64_MAX)), {0});
    expectRow<float>(x(Slice(begin, end, INT64_MIN)), {4});
    expectRow<float>(x(Slice(INT64_MAX - 1, INT64_MIN + 1, -2)), {4, 2, 0});
    expectRow<float>(x(Slice(end, begin, -1)), {4, 3, 2, 1, 0});
    EXPECT_EQ(x(Slice(end, begin)).size(), 0);
    EXPECT_ERROR(InvalidArgument, "the step of a slice is 0", x(Slice(0, 3, 0)));
}

TEST_F(ArrayViewsTest, IndicesSelect) {
    const Array x = counting({2, 3, 4});
    expectArray<float>(x(1, 2), {4}, {20, 21, 22, 23});
    expectArray<float>(x(-1, -1, -1), {}, {23});
    expectArray<float>(x(Slice(), Slice(1, end), 0), {2, 2}, {4, 8, 16, 20});
    expectArray<float>(x(ellipsis, 1), {2, 3}, {1, 5, 9, 13, 17, 21});
    expectArray<float>(x(1, ellipsis, Slice(0, 2)), {3, 2}, {12, 13, 16, 17, 20, 21});
    expectArray<float>(x(0, newAxis, 1, newAxis), {1, 1, 4}, {4, 5, 6, 7});
    expectArray<float>(x(1, Slice(begin, end, -2), Slice(2, begin, -2)), {2, 2}, {22, 20, 14, 12});
    EXPECT_ERROR(InvalidArgument, "index 2 is out of bounds for axis 0 with 2 elements", x(2));
    EXPECT_ERROR(InvalidArgument, "index -4 is out of bounds for axis 1", x(0, -4));
    EXPECT_ERROR(InvalidArgument, "out of bounds", x(SIZE_MAX));
    EXPECT_ERROR(InvalidArgument, "too many indices", x(0, 0, 0, 0));
    EXPECT_ERROR(InvalidArgument, "at most one kp::ellipsis", x(ellipsis, ellipsis));
}

TEST_F(ArrayViewsTest, ViewsShareElements) {
    const Array x = counting({3, 4});
    x(Slice(), 1).assign(-1);
    x.transpose()(2).assign(of<float>({7, 8, 9}));
    expectArray<float>(x, {3, 4}, {0, -1, 7, 3, 4, -1, 8, 7, 8, -1, 9, 11});
    const Array handle = x;
    handle(0).assign(0);
    expectRow<float>(x(0), {0, 0, 0, 0});
    const Array copied = x.copy();
    x.assign(5);
    EXPECT_EQ(copied(1, 0).item<float>(), 4.0f);
}

TEST_F(ArrayViewsTest, AreOfOtherTypesInTheSameMemory) {
    const Array x = counting({2, 4});
    const Array bits = x.view(DType::eInt32);
    EXPECT_EQ(bits(0, 1).item<int32_t>(), 0x3f800000);
    const Array later = bits + 1;
    x.assign(2);
    EXPECT_EQ(bits(1, 3).item<int32_t>(), 0x40000000);
    EXPECT_EQ(later(0, 1).item<int32_t>(), 0x3f800001);
    bits.assign(0);
    EXPECT_EQ(x(1, 2).item<float>(), 0.0f);
    EXPECT_EQ(toString(x.view(DType::eInt16).shape()), "(2, 8)");
    EXPECT_EQ(toString(x.view(DType::eComplex64).shape()), "(2, 2)");
    EXPECT_ERROR(InvalidArgument, "contiguous", x.transpose().view(DType::eInt16));
    EXPECT_ERROR(InvalidArgument, "12 bytes", x(Slice(), Slice(0, 3)).view(DType::eComplex64));
    EXPECT_ERROR(Unsupported, "offset of 4 bytes", x(Slice(), Slice(1, 3)).view(DType::eComplex64));
}

TEST_F(ArrayViewsTest, ReshapeIsAViewWherePossible) {
    const Array x = counting({4, 6});
    x.evaluate();
    const auto shares = [&](const Array& y) { return arrays::memoryOf(y) == arrays::memoryOf(x); };
    EXPECT_TRUE(shares(x.reshape({2, 2, 3, 2})));
    EXPECT_TRUE(shares(x.reshape({-1})));
    const Array columns = x(Slice(), Slice(begin, end, 2)); // strides 6, 2
    EXPECT_TRUE(shares(columns.reshape({2, 2, 3, 1})));
    EXPECT_TRUE(shares(columns.reshape({12})));
    expectRow<float>(columns.reshape({-1}), {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22});
    const Array part = x(Slice(), Slice(0, 4)); // strides 6, 1
    EXPECT_TRUE(shares(part.reshape({2, 2, 2, 2})));
    EXPECT_FALSE(shares(part.reshape({16})));
    expectRow<float>(part.reshape({16}), {0, 1, 2, 3, 6, 7, 8, 9, 12, 13, 14, 15, 18, 19, 20, 21});
    EXPECT_FALSE(shares(x.transpose().reshape({24})));
    expectArray<float>(x.transpose().reshape({3, 8})(0), {8}, {0, 6, 12, 18, 1, 7, 13, 19});
    part.reshape({4, 2, 2})(0, 0, 1).assign(-1);
    EXPECT_EQ(x(0, 1).item<float>(), -1.0f);
    const Array flipped = x(Slice(begin, end, -1));
    EXPECT_TRUE(shares(flipped.reshape({2, 2, 6})));
    EXPECT_EQ(flipped.reshape({2, 2, 6})(1, 1, 5).item<float>(), 5.0f);
    EXPECT_ERROR(InvalidArgument, "cannot have the shape (5, 5)", x.reshape({5, 5}));
    EXPECT_ERROR(InvalidArgument, "cannot have the shape", x.reshape({7, -1}));
    EXPECT_ERROR(InvalidArgument, "one may be -1", x.reshape({-1, -1}));
    EXPECT_EQ(toString(zeros({0, 3}, DType::eInt32, &manager).reshape({5, 0}).shape()), "(5, 0)");
}

TEST_F(ArrayViewsTest, AxesChangePlaces) {
    const Array x = counting({2, 3});
    expectArray<float>(x.transpose(), {3, 2}, {0, 3, 1, 4, 2, 5});
    EXPECT_EQ(toString(counting({2, 3, 4}).transpose({2, 0, 1}).shape()), "(4, 2, 3)");
    EXPECT_ERROR(InvalidArgument, "axis 0 is given twice", x.transpose({0, 0}));
    EXPECT_ERROR(InvalidArgument, "do not order", x.transpose({0}));
    EXPECT_ERROR(InvalidArgument, "axis 2 is out of bounds", x.transpose({0, 2}));
    const Array wide = x(0).broadcastTo({2, 3});
    expectArray<float>(wide, {2, 3}, {0, 1, 2, 0, 1, 2});
    EXPECT_FALSE(wide.isWritable());
    EXPECT_ERROR(InvalidArgument, "read-only", wide.assign(1));
    EXPECT_ERROR(InvalidArgument, "does not broadcast to (3, 3)", x.broadcastTo({3, 3}));
    EXPECT_ERROR(InvalidArgument, "extents are not negative", x(0, 0).broadcastTo({-1}));
}

TEST_F(ArrayViewsTest, TypesConvertAsNumPys) {
    const Array x = of<float>({-1.5f, 0.0f, 2.75f});
    expectRow<int32_t>(x.astype(DType::eInt32), {-1, 0, 2});
    expectRow<bool>(x.astype(DType::eBool), {true, false, true});
    expectRow<float>(of<bool>({true, false}).astype(DType::eFloat32), {1, 0});
    EXPECT_EQ(toString(x.astype(DType::eFloat16).dtype()), std::string("float16"));
    EXPECT_ERROR(InvalidArgument, "the elements are float32, not int32; use astype()",
                 x.vector<int32_t>());
}

TEST_F(ArrayViewsTest, ItemsAreCheckedNumbers) {
    EXPECT_EQ(of<float>({2.75f}).item<int>(), 2);
    EXPECT_TRUE(of<float>({0.5f}).item<bool>());
    EXPECT_FALSE(of<bool>({false}).item<bool>());
    EXPECT_EQ(of<uint32_t>({4000000000u}).item<uint32_t>(), 4000000000u);
    EXPECT_ERROR(InvalidArgument, "the element 300 is not within int8_t",
                 of<int32_t>({300}).item<int8_t>());
    EXPECT_ERROR(InvalidArgument, "not within uint32_t", of<int32_t>({-1}).item<uint32_t>());
    EXPECT_ERROR(InvalidArgument, "not within int32_t", of<float>({std::nanf("")}).item<int32_t>());
    EXPECT_ERROR(InvalidArgument, "not of shape (2,)", of<float>({1, 2}).item<float>());
    if (has(DType::eInt64)) {
        EXPECT_EQ(of<uint64_t>({UINT64_MAX}).item<uint64_t>(), UINT64_MAX);
        EXPECT_EQ(of<int64_t>({INT64_MIN}).item<int64_t>(), INT64_MIN);
        EXPECT_ERROR(InvalidArgument, "not within int64_t",
                     of<uint64_t>({UINT64_MAX}).item<int64_t>());
    }
}

TEST_F(ArrayViewsTest, NullArraysSaySo) {
    const Array none;
    EXPECT_TRUE(none.isNull());
    EXPECT_ERROR(InvalidArgument, "this array is null", none.shape());
    EXPECT_ERROR(InvalidArgument, "this array is null", none + 1);
    EXPECT_ERROR(InvalidArgument, "this array is null", none(0));
    EXPECT_ERROR(InvalidArgument, "2 values were given for an array of shape (3,), which has 3",
                 of<float>({1, 2}, {3}));
    EXPECT_ERROR(InvalidArgument, "extents are not negative", of<float>({1, 2}, {-1, -2}));
}

} // namespace
} // namespace kp::test
