// SPDX-License-Identifier: Apache-2.0
#include "device/dense/DenseSupport.hpp"

namespace kp::test {
namespace {

using kp::SquareMatrices;
using kp::TensorRange;
using kp::TriangularSolveOptions;

class SolveTest : public DeviceTest {
protected:
    /// Returns the largest |A X - B| in units of the type's epsilon times |A| |X|.
    template <typename T>
    static double residual(const DenseMatrix& a, const DenseMatrix& x, const DenseMatrix& b) {
        DenseMatrix scale = a.magnitudes().times(x.magnitudes());
        // Partial pivoting bounds errors by the largest element.
        const double largest = *std::ranges::max_element(scale.values);
        std::ranges::fill(scale.values, largest);
        return largestError<T>(a.times(x), b, scale);
    }

    template <typename T>
    void expectSolutions(MatrixKind kind, size_t size, size_t columns, size_t batches) {
        const std::vector<T> values = matricesOfKind<T>(kind, size, batches);
        const std::vector<T> sides = randomValues<T>(size * columns * batches, 5);
        const auto a = manager.tensorT<T>(values);
        const auto b = manager.tensorT<T>(sides);
        const auto x = manager.tensorT<T>(sides.size());
        const auto info = manager.tensorT<int32_t>(std::vector<int32_t>(batches, 99));
        manager.sequence()
            ->record<kp::OpSyncDevice>({a, b, info})
            ->template record<kp::OpSolve>(a, b, x, info, SquareMatrices{size, batches}, columns)
            ->eval();
        EXPECT_EQ(info->vector(), std::vector<int32_t>(batches, 0));
        for (size_t i = 0; i < batches; ++i)
            EXPECT_LE(residual<T>(DenseMatrix(size, size, values.data() + i * size * size),
                                  DenseMatrix(size, columns, x->data() + i * size * columns),
                                  DenseMatrix(size, columns, sides.data() + i * size * columns)),
                      3 * static_cast<double>(size + 3))
                << size << " x " << columns << ", matrix " << i;
    }

    template <typename T>
    void expectTriangular(size_t size, size_t columns, const TriangularSolveOptions& options) {
        std::vector<T> values = matricesOfKind<T>(MatrixKind::eRandom, size, 2);
        for (size_t e = 0; e < values.size(); ++e)
            values[e] =
                e / size % size == e % size ? values[e] + T(3) : values[e] / static_cast<T>(size);
        const std::vector<T> sides = randomValues<T>(2 * size * columns, 5);
        const auto t = manager.tensorT<T>(values);
        const auto b = manager.tensorT<T>(sides);
        const auto x = manager.tensorT<T>(sides.size());
        const SquareMatrices matrices{size, 2};
        manager.sequence()
            ->record<kp::OpSyncDevice>({t, b})
            ->template record<kp::OpTriangularSolve>(t, b, x, matrices, columns, options)
            ->template record<kp::OpTriangularSolve>(t, b, b, matrices, columns, options)
            ->eval();
        EXPECT_EQ(x->vector(), b->vector());
        for (size_t i = 0; i < 2; ++i) {
            DenseMatrix a(size, size, values.data() + i * size * size);
            for (size_t row = 0; row < size; ++row)
                for (size_t column = 0; column < size; ++column)
                    if (row == column && options.unitDiagonal)
                        a.at(row, column) = 1;
                    else if (options.upper ? column < row : column > row)
                        a.at(row, column) = 0;
            EXPECT_LE(residual<T>(options.transposed ? a.transposed() : a,
                                  DenseMatrix(size, columns, x->data() + i * size * columns),
                                  DenseMatrix(size, columns, sides.data() + i * size * columns)),
                      static_cast<double>(size + 3))
                << size << " x " << columns << ", matrix " << i;
        }
    }
};

TEST_F(SolveTest, SolvesSystemsOfFloats) {
    for (const size_t size : kMatrixSizes)
        for (const MatrixKind kind : kMatrixKinds)
            expectSolutions<float>(kind, size, 3, 2);
    for (const size_t columns : {size_t{1}, size_t{32}, size_t{33}, size_t{150}})
        expectSolutions<float>(MatrixKind::eRandom, 150, columns, 1);
}

TEST_F(SolveTest, SolvesSystemsOfDoubles) {
    for (const size_t size : kMatrixSizes)
        for (const MatrixKind kind : kMatrixKinds)
            expectSolutions<double>(kind, size, 3, 2);
}

TEST_F(SolveTest, InvertsMatrices) {
    for (const size_t size : {size_t{2}, size_t{16}, size_t{33}, size_t{100}, size_t{257}}) {
        const std::vector<float> values = matricesOfKind<float>(MatrixKind::ePermuted, size, 2);
        const auto a = manager.tensorT<float>(values);
        const auto x = manager.tensorT<float>(values.size());
        const auto info = manager.tensorT<uint32_t>(2);
        manager.sequence()
            ->record<kp::OpSyncDevice>({a})
            ->record<kp::OpSolve>(a, TensorRange(), x, info, SquareMatrices{size, 2}, size)
            ->eval();
        DenseMatrix one(size, size);
        for (size_t i = 0; i < size; ++i)
            one.at(i, i) = 1;
        for (size_t i = 0; i < 2; ++i)
            EXPECT_LE(residual<float>(DenseMatrix(size, size, values.data() + i * size * size),
                                      DenseMatrix(size, size, x->data() + i * size * size), one),
                      static_cast<double>(size + 3));
    }
}

TEST_F(SolveTest, SaysWhichMatricesAreSingular) {
    for (const size_t size : {size_t{4}, size_t{100}}) {
        std::vector<float> values = matricesOfKind<float>(MatrixKind::eRandom, size, 3);
        std::fill_n(values.begin() + static_cast<ptrdiff_t>(size * size), size * size, 1.f);
        const auto a = manager.tensorT<float>(values);
        const auto b = manager.tensorT<float>(3 * size);
        const auto x = manager.tensorT<float>(3 * size);
        const auto info = manager.tensorT<int32_t>(std::vector<int32_t>(3, 99));
        manager.sequence()
            ->record<kp::OpSyncDevice>({a, b, info})
            ->record<kp::OpSolve>(a, b, x, info, SquareMatrices{size, 3}, 1)
            ->eval();
        EXPECT_EQ(info->vector(), (std::vector<int32_t>{0, 2, 0}));
    }
}

TEST_F(SolveTest, GivesEqualBitsEachTime) {
    const std::vector<float> values = matricesOfKind<float>(MatrixKind::eRandom, 200, 1);
    const auto a = manager.tensorT<float>(values);
    const auto x = manager.tensorT<float>(values.size());
    const auto info = manager.tensorT<int32_t>(1);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({a});
    sequence->record<kp::OpSolve>(a, TensorRange(), x, info, SquareMatrices{200}, 200);
    sequence->eval();
    const std::vector<float> first = x->vector();
    sequence->eval();
    EXPECT_EQ(x->vector(), first);
}

TEST_F(SolveTest, SolvesWithTriangles) {
    for (const size_t size : {size_t{1}, size_t{31}, size_t{33}, size_t{100}, size_t{300}})
        for (uint32_t form = 0; form < 8; ++form) {
            const TriangularSolveOptions options{(form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
            expectTriangular<float>(size, 1, options);
            expectTriangular<float>(size, 40, options);
            expectTriangular<double>(size, 5, options);
        }
}

TEST_F(SolveTest, RefusesArgumentsThatDoNotMatch) {
    const auto nine = manager.tensorT<float>(9);
    const auto three = manager.tensorT<float>(3);
    const auto other = manager.tensorT<float>(3);
    const auto doubles = manager.tensorT<double>(3);
    const auto info = manager.tensorT<int32_t>(1);
    const auto expect = [&](const char* message, const TensorRange& b, const TensorRange& x,
                            uint64_t columns) {
        EXPECT_ERROR(kp::InvalidArgument, message,
                     kp::OpSolve(nine, b, x, info, SquareMatrices{3}, columns));
    };
    expect("B is of eDouble, but A of eFloat", doubles, other, 1);
    expect("X is 1 matrix of 3 x 2 in 6 elements, but 3 were given", three, other, 2);
    expect("X is an inverse and has 3 columns, not 1", {}, other, 1);
    expect("X and B overlap", three, three, 1);
    EXPECT_ERROR(kp::InvalidArgument, "T is of eInt",
                 kp::OpTriangularSolve(info, info, info, SquareMatrices{1}, 1));
    EXPECT_ERROR(kp::InvalidArgument, "T and X overlap",
                 kp::OpTriangularSolve(nine, nine, nine, SquareMatrices{3}, 3));
}

} // namespace
} // namespace kp::test
