// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <kompute/Sparse.hpp>

#include "device/arrays/ArraySupport.hpp"

namespace kp::test {
namespace {

using sparse::Csr;

class CsrTest : public ArrayTest {
protected:
    /// 1 0 2
    /// 0 0 0
    /// 3 4 0
    Csr small() {
        return Csr(of<float>({1, 2, 3, 4}), of<int32_t>({0, 2, 0, 1}), of<int32_t>({0, 2, 2, 4}),
                   {3, 3});
    }

    /// Random elements with their rows and columns, some places twice.
    struct Elements {
        std::vector<float> data;
        std::vector<int32_t> rows;
        std::vector<int32_t> columns;
    };
    static Elements randomElements(size_t count, int rows, int columns) {
        std::mt19937 random(3);
        Elements made;
        for (size_t i = 0; i < count; ++i) {
            made.data.push_back(static_cast<float>(static_cast<int>(random() % 9) - 4));
            made.rows.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(rows)));
            made.columns.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(columns)));
        }
        return made;
    }
    Csr compressedOf(const Elements& elements, const Shape& shape) {
        return sparse::compressed(of(elements.data), of(elements.rows), of(elements.columns),
                                  shape);
    }
    static std::vector<float> denseOf(const Elements& elements, int rows, int columns) {
        std::vector<float> made(static_cast<size_t>(rows * columns));
        for (size_t i = 0; i < elements.data.size(); ++i)
            made[static_cast<size_t>(elements.rows[i] * columns + elements.columns[i])] +=
                elements.data[i];
        return made;
    }
    static std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b,
                                      size_t rows, size_t inner, size_t columns) {
        std::vector<float> made(rows * columns);
        for (size_t i = 0; i < rows; ++i)
            for (size_t k = 0; k < inner; ++k)
                for (size_t j = 0; j < columns; ++j)
                    made[i * columns + j] += a[i * inner + k] * b[k * columns + j];
        return made;
    }
};

TEST_F(CsrTest, MultipliesVectorsAndMatrices) {
    const Csr a = small();
    expectRow<float>(sparse::matmul(a, of<float>({1, 10, 100})), {201, 0, 43});
    expectArray<float>(sparse::matmul(a, of<float>({1, 2, 10, 20, 100, 200}, {3, 2})), {3, 2},
                       {201, 402, 0, 0, 43, 86});
    // A view that is not in C order.
    expectArray<float>(sparse::matmul(a, of<float>({1, 10, 100, 2, 20, 200}, {2, 3}).transpose()),
                       {3, 2}, {201, 402, 0, 0, 43, 86});
    EXPECT_EQ(a.longestRow(), 2);
    EXPECT_ERROR(InvalidArgument, "inner extents differ, 3 and 2",
                 sparse::matmul(a, of<float>({1, 2})));
}

TEST_F(CsrTest, PromotesTheTypesOfAProduct) {
    const Array x = of<float>({1, 10, 100}).astype(DType::eComplex64);
    EXPECT_EQ(sparse::matmul(small(), x).dtype(), DType::eComplex64);
    expectRow<float>(real(sparse::matmul(small(), x)), {201, 0, 43});
    expectRow<float>(sparse::matmul(small(), of<int16_t>({1, 10, 100})), {201, 0, 43});
}

TEST_F(CsrTest, NamesTheFirstWrongOffsetOrIndex) {
    const Array data = of<float>({1, 2, 3});
    const auto make = [&](const std::vector<int32_t>& indices,
                          const std::vector<int32_t>& offsets) {
        return Csr(data, of(indices), of(offsets), {2, 4});
    };
    EXPECT_ERROR(InvalidArgument, "element 1 of a sparse matrix has column 4, but the matrix has 4",
                 make({0, 4, 5}, {0, 1, 3}));
    EXPECT_ERROR(InvalidArgument, "element 2 of a sparse matrix has column -1",
                 make({0, 1, -1}, {0, 1, 3}));
    EXPECT_ERROR(InvalidArgument, "offset 1 is 4 and offset 2 is 3", make({0, 1, 2}, {0, 4, 3}));
    EXPECT_ERROR(InvalidArgument, "the first offset of a sparse matrix is 0, not 1",
                 make({0, 1, 2}, {1, 2, 3}));
    EXPECT_ERROR(InvalidArgument, "number of elements, 3, not 2", make({0, 1, 2}, {0, 1, 2}));
    EXPECT_ERROR(InvalidArgument, "one offset more, not 2", make({0, 1, 2}, {0, 3}));
    EXPECT_ERROR(InvalidArgument, "float32, float64, complex64 or complex128, not int32",
                 Csr(of<int32_t>({1}), of<int32_t>({0}), of<int32_t>({0, 1}), {1, 1}));
    EXPECT_ERROR(InvalidArgument, "integers, not float32",
                 Csr(of<float>({1}), of<float>({0}), of<int32_t>({0, 1}), {1, 1}));
    EXPECT_ERROR(InvalidArgument, "there is no sparse matrix", Csr().rows());
    // A wrong number that fewer bits would make right.
    EXPECT_ERROR(InvalidArgument, "column 4294967296",
                 Csr(of<float>({1}), of<int64_t>({int64_t{1} << 32}), of<int32_t>({0, 1}), {1, 1}));
    EXPECT_ERROR(InvalidArgument, "element 0 of a sparse matrix has row 7, but the matrix has 2",
                 sparse::compressed(of<float>({1}), of<int32_t>({7}), of<int32_t>({0}), {2, 2}));
}

TEST_F(CsrTest, AddsElementsOfOnePlace) {
    for (const auto& [rows, columns] : {std::pair(20, 30), std::pair(1, 40), std::pair(40, 1)}) {
        const Elements elements = randomElements(500, rows, columns);
        const Csr a = compressedOf(elements, {rows, columns});
        EXPECT_TRUE(a.isCanonical());
        EXPECT_LE(a.nonzeros(), rows * columns);
        EXPECT_EQ(sparse::dense(a).vector<float>(), denseOf(elements, rows, columns));
    }
}

TEST_F(CsrTest, AddsElementsOfMatricesWithMoreThan2To32Places) {
    const Csr a =
        sparse::compressed(of<float>({1, 2, 4, 8}), of<int32_t>({1'999'999, 5, 1'999'999, 0}),
                           of<int32_t>({2'999'999, 7, 2'999'999, 1}), {2'000'000, 3'000'000});
    expectRow<float>(a.data(), {8, 2, 5});
    expectRow<int32_t>(a.indices(), {1, 7, 2'999'999});
    EXPECT_EQ(a.offsets()(-1).item<int>(), 3);
}

TEST_F(CsrTest, KeepsElementsThatAreInOrder) {
    const Array data = of<float>({1, 2, 3});
    const Csr a = sparse::compressed(data, of<int32_t>({0, 0, 2}), of<int32_t>({1, 3, 0}), {3, 4});
    expectRow<int32_t>(a.offsets(), {0, 2, 2, 3});
    expectRow<int32_t>(a.indices(), {1, 3, 0});
    EXPECT_TRUE(a.isCanonical());
}

TEST_F(CsrTest, KnowsWhetherTheIndicesOfRowsAscend) {
    const auto make = [&](const std::vector<int32_t>& indices,
                          const std::vector<int32_t>& offsets) {
        return Csr(of<float>({1, 2, 3}), of(indices), of(offsets), {3, 4});
    };
    EXPECT_TRUE(make({1, 0, 3}, {0, 1, 1, 3}).isCanonical());
    EXPECT_FALSE(make({1, 3, 0}, {0, 1, 1, 3}).isCanonical());
    EXPECT_FALSE(make({1, 2, 2}, {0, 1, 1, 3}).isCanonical());
    const Csr made = sparse::canonical(make({3, 0, 0}, {0, 3, 3, 3}));
    expectRow<float>(made.data(), {5, 1});
    expectRow<int32_t>(made.indices(), {0, 3});
}

TEST_F(CsrTest, ConvertsToAndFromDenseArrays) {
    const Elements elements = randomElements(300, 17, 41);
    const std::vector<float> expected = denseOf(elements, 17, 41);
    const Csr a = sparse::compressed(of(expected, {17, 41}));
    EXPECT_EQ(a.nonzeros(), static_cast<int64_t>(expected.size()) -
                                std::count(expected.begin(), expected.end(), 0.0f));
    expectArray<float>(sparse::dense(a), {17, 41}, expected);
    const Csr none = sparse::compressed(zeros({3, 2}, DType::eFloat32, &manager));
    expectArray<float>(sparse::dense(none), {3, 2}, {0, 0, 0, 0, 0, 0});
    expectRow<float>(sparse::matmul(none, of<float>({1, 2})), {0, 0, 0});
}

TEST_F(CsrTest, Transposes) {
    const Csr a = sparse::transposed(small());
    expectArray<float>(sparse::dense(a), {3, 3}, {1, 0, 3, 0, 0, 4, 2, 0, 0});
    const Elements elements = randomElements(2000, 70, 30);
    const Csr large = sparse::transposed(compressedOf(elements, {70, 30}));
    EXPECT_TRUE(large.isCanonical());
    expectArray<float>(sparse::dense(large).transpose(), {70, 30}, denseOf(elements, 70, 30));
}

TEST_F(CsrTest, MultipliesSparseMatrices) {
    const Elements left = randomElements(200, 20, 30);
    const Elements right = randomElements(150, 30, 25);
    const Csr made = sparse::matmul(compressedOf(left, {20, 30}), compressedOf(right, {30, 25}));
    expectArray<float>(sparse::dense(made), {20, 25},
                       product(denseOf(left, 20, 30), denseOf(right, 30, 25), 20, 30, 25));
    EXPECT_TRUE(made.isCanonical());
    const Csr none = sparse::compressed(zeros({3, 3}, DType::eFloat32, &manager));
    EXPECT_EQ(sparse::matmul(small(), none).nonzeros(), 0);
}

TEST_F(CsrTest, AddsMatrices) {
    const Csr a = sparse::add(small(), sparse::transposed(small()));
    expectArray<float>(sparse::dense(a), {3, 3}, {2, 0, 5, 0, 0, 4, 5, 4, 0});
    EXPECT_ERROR(InvalidArgument, "cannot be added",
                 sparse::add(small(), sparse::rowsBetween(small(), 0, 2)));
}

TEST_F(CsrTest, MultipliesWithDenseArraysThatBroadcast) {
    const Csr columns = sparse::multiply(small(), of<float>({10, 100, 1000}));
    expectArray<float>(sparse::dense(columns), {3, 3}, {10, 0, 2000, 0, 0, 0, 30, 400, 0});
    const Csr rows = sparse::multiply(small(), of<float>({10, 100, 1000}, {3, 1}));
    expectArray<float>(sparse::dense(rows), {3, 3}, {10, 0, 20, 0, 0, 0, 3000, 4000, 0});
}

TEST_F(CsrTest, ReturnsDiagonals) {
    expectRow<float>(sparse::diagonal(small()), {1, 0, 0});
    expectRow<float>(sparse::diagonal(small(), 2), {2});
    expectRow<float>(sparse::diagonal(small(), -1), {0, 4});
    expectRow<float>(sparse::diagonal(small(), 3), {});
}

TEST_F(CsrTest, ReturnsNeighbouringRows) {
    const Csr last = sparse::rowsBetween(small(), 1, 3);
    expectArray<float>(sparse::dense(last), {2, 3}, {0, 0, 0, 3, 4, 0});
    expectRow<float>(sparse::matmul(last, of<float>({1, 10, 100})), {0, 43});
    EXPECT_ERROR(InvalidArgument, "rows 2 to 4", sparse::rowsBetween(small(), 2, 4));
}

TEST_F(CsrTest, HasComplexElements) {
    const Array data =
        add(of<float>({1, 2, 3}), multiply(of<float>({10, 20, 30}), Operand::complex(0, 1)));
    ASSERT_EQ(data.dtype(), DType::eComplex64);
    const Csr a = sparse::compressed(data, of<int32_t>({1, 0, 1}), of<int32_t>({1, 0, 1}), {2, 2});
    EXPECT_EQ(a.nonzeros(), 2);
    expectArray<float>(real(sparse::dense(a)).copy(), {2, 2}, {2, 0, 0, 4});
    expectArray<float>(imag(sparse::dense(a)).copy(), {2, 2}, {20, 0, 0, 40});
    expectArray<float>(imag(sparse::dense(sparse::transposed(a))).copy(), {2, 2}, {20, 0, 0, 40});
}

TEST_F(CsrTest, HasElementsOf16Bytes) {
    if (!has(DType::eComplex128))
        GTEST_SKIP() << "the device has no arrays of complex128";
    const Array data = of<float>({1, 2, 3}).astype(DType::eComplex128);
    const Csr a = sparse::compressed(data, of<int32_t>({1, 0, 1}), of<int32_t>({1, 0, 1}), {2, 2});
    expectArray<double>(real(sparse::dense(a)).copy(), {2, 2}, {2, 0, 0, 4});
}

TEST_F(CsrTest, MultipliesMatricesWithoutRowsOrColumns) {
    const Array none = of<float>({});
    const Array noIndex = of<int32_t>({});
    const Csr noRows(none, noIndex, of<int32_t>({0}), {0, 3});
    EXPECT_EQ(sparse::matmul(noRows, of<float>({1, 2, 3})).size(), 0);
    const Csr noColumns(none, noIndex, of<int32_t>({0, 0, 0}), {2, 0});
    expectRow<float>(sparse::matmul(noColumns, none), {0, 0});
    expectRow<int32_t>(sparse::transposed(noRows).offsets(), {0, 0, 0, 0});
}

} // namespace
} // namespace kp::test
