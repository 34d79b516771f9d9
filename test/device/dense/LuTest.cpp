// SPDX-License-Identifier: Apache-2.0
#include "device/dense/DenseSupport.hpp"

namespace kp::test {
namespace {

using kp::LuOptions;
using kp::TensorRange;

class LuTest : public DeviceTest {
protected:
    template <typename T>
    struct Found {
        std::vector<T> lu;
        std::vector<int32_t> pivots;
        std::vector<int32_t> info;
    };

    template <typename T>
    Found<T> factor(const std::vector<T>& values, size_t rows, size_t columns,
                    const LuOptions& options = {}, bool inPlace = false) {
        const auto a = manager.tensorT<T>(values);
        const auto lu = inPlace ? a : manager.tensorT<T>(std::vector<T>(values.size(), T(7)));
        const auto pivots = manager.tensorT<int32_t>(
            std::vector<int32_t>(std::min(rows, columns) * options.batches, 99));
        const auto info = manager.tensorT<int32_t>(std::vector<int32_t>(options.batches, 99));
        manager.sequence()
            ->record<kp::OpSyncDevice>({a, lu, pivots, info})
            ->template record<kp::OpLu>(a, lu, pivots, info, rows, columns, options)
            ->eval();
        return {lu->vector(), pivots->vector(), info->vector()};
    }

    template <typename T>
    void expectFactors(const std::vector<T>& values, const Found<T>& found, size_t rows,
                       size_t columns, size_t batches, bool transposed) {
        const size_t steps = std::min(rows, columns);
        for (size_t b = 0; b < batches; ++b) {
            const auto matrix = [&](const std::vector<T>& from) {
                const T* const first = from.data() + b * rows * columns;
                return transposed ? DenseMatrix(columns, rows, first).transposed()
                                  : DenseMatrix(rows, columns, first);
            };
            DenseMatrix a = matrix(values);
            const DenseMatrix lu = matrix(found.lu);
            DenseMatrix l(rows, steps);
            DenseMatrix u(steps, columns);
            for (size_t i = 0; i < rows; ++i)
                for (size_t j = 0; j < columns; ++j) {
                    if (j < std::min(i, steps))
                        l.at(i, j) = lu.at(i, j);
                    else if (i < steps)
                        u.at(i, j) = lu.at(i, j);
                    if (j < i && j < steps) { // the pivot was the largest
                        ASSERT_LE(std::abs(lu.at(i, j)), 1.0) << i << ", " << j;
                    }
                }
            for (size_t i = 0; i < steps; ++i) {
                l.at(i, i) = 1;
                const auto pivot = static_cast<size_t>(found.pivots[b * steps + i]);
                ASSERT_GE(pivot, i);
                ASSERT_LT(pivot, rows);
                for (size_t j = 0; j < columns; ++j)
                    std::swap(a.at(i, j), a.at(pivot, j));
            }
            EXPECT_LE(largestError<T>(l.times(u), a, l.magnitudes().times(u.magnitudes())),
                      static_cast<double>(steps + 3) / 2)
                << rows << " x " << columns << ", matrix " << b;
        }
    }

    template <typename T>
    void expectFactorsOfAllKinds() {
        for (const size_t size : casesInTurn(manager, kMatrixSizes, 2))
            for (const MatrixKind kind : kMatrixKinds)
                for (const bool transposed : {false, true}) {
                    const size_t batches = size < 100 ? 3 : 1;
                    const std::vector<T> values = matricesOfKind<T>(kind, size, batches);
                    LuOptions options;
                    options.batches = batches;
                    options.transposed = transposed;
                    const Found<T> found = factor(values, size, size, options);
                    EXPECT_EQ(found.info, std::vector<int32_t>(batches, 0)) << size;
                    expectFactors(values, found, size, size, batches, transposed);
                }
    }
};

TEST_F(LuTest, FactorsFloats) {
    expectFactorsOfAllKinds<float>();
}

TEST_F(LuTest, FactorsDoubles) {
    expectFactorsOfAllKinds<double>();
}

TEST_F(LuTest, FactorsMatricesThatAreNotSquare) {
    const std::pair<size_t, size_t> shapes[] = {{1, 5},   {5, 1},    {300, 20}, {20, 300},
                                                {70, 33}, {33, 170}, {2500, 40}};
    for (const auto& [rows, columns] : shapes)
        for (const bool transposed : {false, true}) {
            const std::vector<float> values = randomValues<float>(2 * rows * columns);
            LuOptions options;
            options.batches = 2;
            options.transposed = transposed;
            expectFactors(values, factor(values, rows, columns, options), rows, columns, 2,
                          transposed);
        }
}

TEST_F(LuTest, TakesTheFirstOfEqualPivots) {
    const std::vector<float> values = {1, 2, 3, -4, 3, 4, 4, 9, 7};
    EXPECT_EQ(factor(values, 3, 3).pivots.front(), 1);
    const std::vector<float> equal = {1, 2, -1, 3};
    EXPECT_EQ(factor(equal, 2, 2).pivots, (std::vector<int32_t>{0, 1}));
}

TEST_F(LuTest, SaysWhichPivotIsZeroAndStillFactors) {
    for (const size_t size : {size_t{3}, size_t{40}, size_t{150}}) {
        std::vector<float> values(2 * size * size, 1);
        const size_t zero = size - 2;
        for (size_t i = 0; i < size; ++i)
            for (size_t j = 0; j < size; ++j)
                values[size * size + i * size + j] = i == j && i != zero ? 2 : 0;
        LuOptions options;
        options.batches = 2;
        const auto found = factor(values, size, size, options);
        EXPECT_EQ(found.info, (std::vector<int32_t>{2, static_cast<int32_t>(zero) + 1}));
        expectFactors(values, found, size, size, 2, false);
    }
}

TEST_F(LuTest, FactorsInPlaceWithTheSameBits) {
    for (const size_t size : {size_t{16}, size_t{100}})
        for (const bool transposed : {false, true}) {
            const std::vector<float> values = randomValues<float>(size * size);
            LuOptions options;
            options.transposed = transposed;
            EXPECT_EQ(factor(values, size, size, options).lu,
                      factor(values, size, size, options, true).lu);
        }
}

TEST_F(LuTest, DividesByTheSmallestPivots) {
    const float small = 2e-39f; // whose inverse is infinite
    const auto found = factor(std::vector<float>{small, 1, small / 2, 1}, 2, 2);
    if (found.info.front() == 0) { // some devices read such numbers as 0
        EXPECT_NEAR(found.lu[2], 0.5, 1e-6);
    }
}

TEST_F(LuTest, TakesMatricesWithoutElements) {
    const auto some = manager.tensorT<float>(1);
    const auto pivots = manager.tensorT<int32_t>(1);
    const auto info = manager.tensorT<int32_t>({7, 7});
    const TensorRange none(some, 0, 0);
    LuOptions options;
    options.batches = 2;
    manager.sequence()
        ->record<kp::OpSyncDevice>({info})
        ->record<kp::OpLu>(none, none, TensorRange(pivots, 0, 0), info, 0, 3, options)
        ->eval();
    EXPECT_EQ(info->vector(), (std::vector<int32_t>{0, 0}));
}

TEST_F(LuTest, RefusesArgumentsThatDoNotMatch) {
    const auto six = manager.tensorT<float>(6);
    const auto other = manager.tensorT<float>(6);
    const auto pivots = manager.tensorT<int32_t>(2);
    const auto info = manager.tensorT<int32_t>(1);
    const auto expect = [&](const char* message, const TensorRange& lu, const TensorRange& steps,
                            const TensorRange& infos, uint64_t rows) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpLu(six, lu, steps, infos, rows, 3));
    };
    expect("A is 1 matrix of 3 x 3 in 9 elements, but 6 were given", other, pivots, info, 3);
    expect("LU is of eInt, but A of eFloat", pivots, pivots, info, 2);
    expect("the tensor of pivots needs 2 elements for each of 1 matrix, but has 1 element", other,
           info, pivots, 2);
    expect("the tensor of pivots is of eFloat", other, six, info, 2);
    expect("the info and the tensor of pivots overlap", other, pivots, TensorRange(pivots, 0, 1),
           2);
}

} // namespace
} // namespace kp::test
