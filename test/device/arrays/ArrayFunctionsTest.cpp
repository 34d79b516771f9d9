// SPDX-License-Identifier: Apache-2.0
//
// Functions of whole arrays: other shapes, sorted and selected elements, scans, products and text.
#include "ArraySupport.hpp"

#include <sstream>

namespace kp::test {
namespace {

class ArrayFunctionsTest : public ArrayTest {
protected:
    void SetUp() override {
        if (!has(DType::eInt64))
            GTEST_SKIP() << "the device has no int64, which indices are";
    }
};

TEST_F(ArrayFunctionsTest, AxesAreAddedRemovedAndMoved) {
    const Array x = counting({2, 3});
    const auto shape = [](const Array& y) { return toString(y.shape()); };
    EXPECT_EQ(shape(expandDims(x)), "(1, 2, 3)");
    EXPECT_EQ(shape(expandDims(x, {0, -1})), "(1, 2, 3, 1)");
    EXPECT_EQ(shape(squeeze(expandDims(x, {0, 2}))), "(2, 3)");
    EXPECT_EQ(shape(squeeze(expandDims(x, {0, 2}), 0)), "(2, 1, 3)");
    EXPECT_EQ(shape(moveaxis(counting({2, 3, 4}), 0, -1)), "(3, 4, 2)");
    EXPECT_EQ(shape(swapaxes(counting({2, 3, 4}), 0, 2)), "(4, 3, 2)");
    expectArray<float>(swapaxes(x, 0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
    expectArray<float>(flip(x), {2, 3}, {5, 4, 3, 2, 1, 0});
    expectArray<float>(flip(x, 1), {2, 3}, {2, 1, 0, 5, 4, 3});
    expectRow<float>(ravel(x.transpose()), {0, 3, 1, 4, 2, 5});
    EXPECT_ERROR(InvalidArgument, "axis 1 has 3 elements", squeeze(x, 1));
    EXPECT_ERROR(InvalidArgument, "axis 2 is out of bounds", moveaxis(x, 2, 0));
    EXPECT_ERROR(InvalidArgument, "axis 1 is given twice", flip(x, {1, -1}));
}

TEST_F(ArrayFunctionsTest, ArraysAreJoinedAndSplit) {
    const Array x = counting({2, 2});
    const Array y = of<int32_t>({9, 8}, {1, 2});
    if (defaultFloat(manager) == DType::eFloat64)
        expectArray<double>(concat({x, y}), {3, 2}, {0, 1, 2, 3, 9, 8});
    expectArray<float>(concat({x, x * 10}, 1), {2, 4}, {0, 1, 0, 10, 2, 3, 20, 30});
    expectArray<float>(stack({x(0), x(1), x(0)}, 1), {2, 3}, {0, 2, 0, 1, 3, 1});
    const std::vector<Array> parts = split(counting({6}), 3);
    ASSERT_EQ(parts.size(), 3u);
    expectRow<float>(parts[2], {4, 5});
    EXPECT_ERROR(InvalidArgument, "other extents differ", concat({x, y}, 1));
    EXPECT_ERROR(InvalidArgument, "at least one array", concat({}));
    EXPECT_ERROR(InvalidArgument, "kp::stack()", concat({x(0, 0)}));
    EXPECT_ERROR(InvalidArgument, "arrays of one shape", stack({x, y}));
    EXPECT_ERROR(InvalidArgument, "4 equal parts", split(counting({6}), 4));
}

TEST_F(ArrayFunctionsTest, ElementsAreRolledAndRepeated) {
    const Array x = counting({2, 3});
    expectArray<float>(roll(x, 1), {2, 3}, {5, 0, 1, 2, 3, 4});
    expectArray<float>(roll(x, -1, 1), {2, 3}, {1, 2, 0, 4, 5, 3});
    expectArray<float>(roll(x, 7, 0), {2, 3}, {3, 4, 5, 0, 1, 2});
    expectRow<float>(repeat(of<float>({1, 2}), 3), {1, 1, 1, 2, 2, 2});
    expectArray<float>(repeat(x, 2, 0), {4, 3}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    expectArray<float>(repeat(x, of<int32_t>({2, 0, 1}), 1), {2, 3}, {0, 0, 2, 3, 3, 5});
    expectArray<float>(tile(of<float>({1, 2}), {2, 2}), {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
    expectArray<float>(tile(x, {2}), {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    EXPECT_EQ(repeat(x, 0).size(), 0);
    EXPECT_ERROR(InvalidArgument, "not negative", repeat(x, -1));
    EXPECT_ERROR(InvalidArgument, "not negative", tile(x, {-1}));
    EXPECT_ERROR(InvalidArgument, "a count for each of 2 elements",
                 repeat(x, of<int32_t>({1, 2, 3}), 0));
    EXPECT_ERROR(InvalidArgument, "are integers, not float32", repeat(x, of<float>({1, 2}), 0));
    EXPECT_ERROR(InvalidArgument, "but one is", repeat(x, of<int32_t>({1, -2}), 0));
}

TEST_F(ArrayFunctionsTest, BordersAreThoseOfNumPy) {
    const Array x = of<float>({1, 2, 3});
    expectRow<float>(pad(x, {{1, 2}}), {0, 1, 2, 3, 0, 0});
    expectRow<float>(pad(x, 1, 9.5), {9.5f, 1, 2, 3, 9.5f});
    expectRow<float>(pad(x, {{2, 2}}, PadMode::eEdge), {1, 1, 1, 2, 3, 3, 3});
    expectRow<float>(pad(x, {{2, 3}}, PadMode::eReflect), {3, 2, 1, 2, 3, 2, 1, 2});
    expectRow<float>(pad(x, {{2, 4}}, PadMode::eSymmetric), {2, 1, 1, 2, 3, 3, 2, 1, 1});
    expectRow<float>(pad(x, {{4, 2}}, PadMode::eWrap), {3, 1, 2, 3, 1, 2, 3, 1, 2});
    expectRow<float>(pad(x(Slice(0, 1)), 2, PadMode::eReflect), {1, 1, 1, 1, 1});
    expectArray<float>(pad(counting({2, 2}), 1, PadMode::eSymmetric), {4, 4},
                       {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
    EXPECT_ERROR(InvalidArgument, "a width for each axis", pad(counting({2, 2}), {{1, 1}}));
    EXPECT_ERROR(InvalidArgument, "not negative", pad(x, -1));
    EXPECT_ERROR(InvalidArgument, "no elements for a border",
                 pad(x(Slice(0, 0)), 1, PadMode::eEdge));
    EXPECT_ERROR(InvalidArgument, "holds integers", pad(of<int32_t>({1}), 1, 0.5));
}

TEST_F(ArrayFunctionsTest, SortsAlongAnyAxis) {
    const float nan = std::nanf("");
    const Array x = of<float>({3, 1, 2, 0, nan, -1}, {2, 3});
    expectArray<float>(sort(x(0)), {3}, {1, 2, 3});
    expectNear<float>(sort(x), {1, 2, 3, -1, 0, std::nan("")});
    expectArray<float>(sort(x(0), -1, true), {3}, {3, 2, 1});
    expectArray<int64_t>(argsort(x), {2, 3}, {1, 2, 0, 2, 0, 1});
    expectArray<int64_t>(argsort(x, 0), {2, 3}, {1, 0, 1, 0, 1, 0});
    expectArray<float>(sort(of<float>({5, 1, 4, 2, 3, 0}, {3, 2}), 0), {3, 2}, {3, 0, 4, 1, 5, 2});
    expectNear<float>(takeAlongAxis(x, argsort(x, 1), 1), {1, 2, 3, -1, 0, std::nan("")});
    EXPECT_EQ(sort(zeros({0}, DType::eFloat32, &manager)).size(), 0);
    expectRow<float>(sort(counting({1000}) % 10)(Slice(-10, end)), std::vector<float>(10, 9));
    const Array flat = counting({}); // one element without axes
    EXPECT_ERROR(InvalidArgument, "axis -1 is out of bounds", sort(flat));
    EXPECT_ERROR(InvalidArgument, "sort() takes real numbers",
                 sort(x(0).astype(DType::eComplex64)));
}

TEST_F(ArrayFunctionsTest, FindsExtremes) {
    const Array x = of<int32_t>({3, 1, 2, 0, 7, 0}, {2, 3});
    EXPECT_EQ(argmin(x).item<int>(), 3);
    EXPECT_EQ(argmax(x).item<int>(), 4);
    expectArray<int64_t>(argmin(x, 1), {2}, {1, 0});
    expectArray<int64_t>(argmax(x, 0), {3}, {0, 1, 0});
    expectArray<int64_t>(argmax(x, 0, true), {1, 3}, {0, 1, 0});
    EXPECT_EQ(argmin(of<float>({1, std::nanf(""), 0})).item<int>(), 1);
    EXPECT_ERROR(InvalidArgument, "argmin() of no elements", argmin(x(Slice(0, 0))));
}

TEST_F(ArrayFunctionsTest, SelectsByMasksAndIndices) {
    const Array x = counting({2, 3});
    expectRow<float>(compress(x > 2, x), {3, 4, 5});
    expectArray<float>(compress(of<bool>({false, true}), x), {1, 3}, {3, 4, 5});
    expectRow<float>(compress(x(0) > 5, x(0)), {});
    const std::vector<Array> places = nonzero(x % 2);
    expectRow<int64_t>(places[0], {0, 1, 1});
    expectRow<int64_t>(places[1], {1, 0, 2});
    expectRow<float>(take(x, of<int32_t>({5, -6, 2})), {5, 0, 2});
    expectArray<float>(take(x, of<int64_t>({2, 0, -1, 1}, {2, 2}), 1), {2, 2, 2},
                       {2, 0, 2, 1, 5, 3, 5, 4});
    const Array row = counting({4});
    put(row, of<int32_t>({1, -1}), of<float>({-5, -6}));
    put(row, of<int32_t>({0}), 7);
    expectRow<float>(row, {7, -5, 2, -6});
    EXPECT_EQ(
        compress(zeros({0}, DType::eBool, &manager), zeros({0}, DType::eFloat32, &manager)).size(),
        0);
    EXPECT_ERROR(InvalidArgument, "a mask is bool, not float32", compress(x, x));
    EXPECT_ERROR(InvalidArgument, "does not fit an array of shape (2, 3)",
                 compress(of<bool>({true, true, true}), x));
    EXPECT_ERROR(InvalidArgument, "the indices are from 0 to 6", take(x, of<int32_t>({0, 6})));
    EXPECT_ERROR(InvalidArgument, "take kp::compress() for masks", take(x, x > 2));
    EXPECT_ERROR(InvalidArgument, "one axis", put(x, of<int32_t>({0}), 1));
}

TEST_F(ArrayFunctionsTest, SearchesAndFindsDistinctElements) {
    const Array edges = of<float>({1, 2, 2, 4});
    expectRow<int64_t>(searchsorted(edges, of<float>({0, 2, 5})), {0, 1, 4});
    expectRow<int64_t>(searchsorted(edges, of<float>({2}), SearchSide::eRight), {3});
    const float nan = std::nanf("");
    expectNear<float>(unique(of<float>({3, nan, 1, 3, nan})), {1, 3, std::nan("")});
    const Unique all = uniqueAll(of<float>({3, nan, 1, 3, nan, 1}, {2, 3}));
    expectNear<float>(all.values, {1, 3, std::nan("")});
    expectRow<int64_t>(all.indices, {2, 0, 1});
    expectArray<int64_t>(all.inverse, {2, 3}, {1, 2, 0, 1, 2, 0});
    expectRow<int64_t>(all.counts, {2, 2, 2});
    expectRow<bool>(unique(of<bool>({true, false, true})), {false, true});
    EXPECT_EQ(uniqueAll(zeros({0}, DType::eFloat32, &manager)).counts.size(), 0);
    EXPECT_ERROR(InvalidArgument, "one axis", searchsorted(counting({2, 2}), edges));
}

TEST_F(ArrayFunctionsTest, ScansAndDifferences) {
    const Array x = counting({2, 3});
    expectRow<float>(cumsum(x), {0, 1, 3, 6, 10, 15});
    expectArray<float>(cumsum(x, 0), {2, 3}, {0, 1, 2, 3, 5, 7});
    expectArray<float>(cumsum(x, 1), {2, 3}, {0, 1, 3, 3, 7, 12});
    expectArray<int64_t>(cumprod(of<int8_t>({2, 100, 3})), {3}, {2, 200, 600});
    expectRow<float>(diff(of<float>({1, 4, 9, 16})), {3, 5, 7});
    expectRow<float>(diff(of<float>({1, 4, 9, 16}), 2), {2, 2});
    expectArray<float>(diff(x, 1, 0), {1, 3}, {3, 3, 3});
    expectRow<bool>(diff(of<bool>({true, true, false})), {false, true});
    const float parts[] = {0, 1, 0, 1, 0, 1};
    const Array i = Array::ofBytes(parts, 3, DType::eComplex64, {3}, &manager);
    expectRow<float>(imag(cumsum(i)), {1, 2, 3});
    expectRow<float>(real(cumprod(i)), {0, -1, 0});
    expectRow<float>(imag(cumprod(i)), {1, 0, -1});
    EXPECT_ERROR(InvalidArgument, "not negative", diff(x, -1));
}

TEST_F(ArrayFunctionsTest, MultipliesMatrices) {
    const Array a = counting({2, 3});
    const Array b = counting({3, 2});
    expectArray<float>(matmul(a, b), {2, 2}, {10, 13, 28, 40});
    expectArray<float>(matmul(a, a.transpose()), {2, 2}, {5, 14, 14, 50});
    expectArray<float>(matmul(b(Slice(begin, end, 2)).transpose(), a), {2, 3},
                       {12, 16, 20, 15, 21, 27});
    expectArray<float>(matmul(a, of<float>({1, 2, 3})), {2}, {8, 26});
    expectArray<float>(matmul(of<float>({1, 2}), a), {3}, {6, 9, 12});
    EXPECT_EQ(dot(a(0), a(1)).item<float>(), 14.0f);
    expectArray<float>(matmul(counting({2, 1, 2}), counting({2, 1})), {2, 1, 1}, {1, 3});
    expectArray<float>(dot(counting({2, 2, 2}), of<float>({1, 10})), {2, 2}, {10, 32, 54, 76});
    EXPECT_EQ(toString(tensordot(counting({2, 3, 4}), counting({4, 3, 5}), {1, 2}, {1, 0}).shape()),
              "(2, 5)");
    expectArray<int32_t>(outer(of<int32_t>({1, 2}), of<int32_t>({3, 4})), {2, 2}, {3, 4, 6, 8});
    expectArray<bool>(matmul(of<bool>({true, false}, {1, 2}), of<bool>({true, false}, {2, 1})),
                      {1, 1}, {true});
    expectArray<float>(matmul(a(Slice(), Slice(0, 0)), b(Slice(0, 0))), {2, 2}, {0, 0, 0, 0});
    EXPECT_ERROR(InvalidArgument, "their inner extents differ, 3 and 2", matmul(a, a));
    EXPECT_ERROR(InvalidArgument, "at least one axis", matmul(a, a(0, 0)));
    EXPECT_ERROR(InvalidArgument, "axis 0 has 2 and axis 0 3", tensordot(a, b, 0, 0));
}

TEST_F(ArrayFunctionsTest, CountsInBins) {
    const Array x = of<float>({0, 0.5f, 1, 1.5f, 2, std::nanf("")});
    const Histogram two = histogram(x, 2, 0, 2);
    expectRow<int64_t>(two.counts, {2, 3});
    expectRow<float>(two.edges, {0, 1, 2});
    expectRow<int64_t>(histogram(counting({100}), 4).counts, {25, 25, 25, 25});
    expectRow<int64_t>(histogram(x, of<float>({0, 1, 1.5f})).counts, {2, 2});
    expectRow<int64_t>(bincount(of<int32_t>({1, 3, 1})), {0, 2, 0, 1});
    expectRow<int64_t>(bincount(of<int32_t>({1}), 4), {0, 1, 0, 0});
    const Array sums = bincount(of<int32_t>({1, 0, 1}), of<float>({0.5f, 1, 2}));
    EXPECT_EQ(sums.dtype(), defaultFloat(manager));
    EXPECT_EQ(sums.astype(DType::eFloat32).vector<float>(), (std::vector<float>{1, 2.5f}));
    EXPECT_ERROR(InvalidArgument, "at least 1 bin", histogram(x, 0, 0, 1));
    EXPECT_ERROR(InvalidArgument, "finite", histogram(x, 2));
    EXPECT_ERROR(InvalidArgument, "ascend", histogram(x, of<float>({1, 0})));
    EXPECT_ERROR(InvalidArgument, "but one is -1", bincount(of<int32_t>({-1})));
    EXPECT_ERROR(InvalidArgument, "but one is -2", bincount(of<int8_t>({5, -2, 3})));
    EXPECT_ERROR(InvalidArgument, "18446744073709551615", bincount(of<uint64_t>({~uint64_t{0}})));
    EXPECT_ERROR(InvalidArgument, "not float32", bincount(x));
}

TEST_F(ArrayFunctionsTest, ComparesWithTolerance) {
    const Array x = of<float>({1, 2, std::nanf(""), INFINITY});
    expectRow<bool>(isclose(x, x), {true, true, false, true});
    expectRow<bool>(isclose(x, x, {1e-5, 1e-8, true}), {true, true, true, true});
    EXPECT_TRUE(allclose(x(Slice(0, 2)), of<float>({1.000001f, 2})));
    EXPECT_FALSE(allclose(x(Slice(0, 2)), 1));
    EXPECT_TRUE(allclose(of<float>({0.5f, 0.5f}), 0.5));
    EXPECT_TRUE(arrayEqual(x(0), of<float>({1}).reshape({})));
    EXPECT_FALSE(arrayEqual(x, x));
    EXPECT_TRUE(arrayEqual(x, x, true));
    EXPECT_FALSE(arrayEqual(x, x(0)));
}

TEST_F(ArrayFunctionsTest, PrintsAsNumPy) {
    EXPECT_EQ(toString(of<int32_t>({1, 2, 30, 4}, {2, 2})), "[[ 1  2]\n [30  4]]");
    EXPECT_EQ(toString(of<float>({0.5f, 1})), "[0.5  1.]");
    EXPECT_EQ(toString(of<bool>({true, false})), "[ True False]");
    EXPECT_EQ(toString(arange(2000, &manager)), "[   0    1    2 ... 1997 1998 1999]");
    EXPECT_EQ(toString(zeros({0}, DType::eInt32, &manager)), "[]");
    EXPECT_EQ(toString(of<float>({7}).reshape({})), "7.");
    std::ostringstream stream;
    stream << of<uint8_t>({1, 2}) << " " << Array();
    EXPECT_EQ(stream.str(), "[1 2] no array");
    const float parts[] = {1, -2};
    EXPECT_EQ(toString(Array::ofBytes(parts, 1, DType::eComplex64, {1}, &manager)), "[1.-2.j]");
}

} // namespace
} // namespace kp::test
