// SPDX-License-Identifier: Apache-2.0
#include "device/dense/DenseSupport.hpp"

namespace kp::test {
namespace {

using kp::SquareMatrices;
using kp::TensorRange;

class CholeskyTest : public DeviceTest {
protected:
    template <typename T>
    struct Found {
        std::vector<T> factor;
        std::vector<int32_t> info;
    };

    template <typename T>
    Found<T> factor(const std::vector<T>& values, const SquareMatrices& matrices,
                    bool inPlace = false) {
        const auto a = manager.tensorT<T>(values);
        const auto l = inPlace ? a : manager.tensorT<T>(std::vector<T>(values.size(), T(7)));
        const auto info = manager.tensorT<int32_t>(std::vector<int32_t>(matrices.batches, 99));
        manager.sequence()
            ->record<kp::OpSyncDevice>({a, l, info})
            ->template record<kp::OpCholesky>(a, l, info, matrices)
            ->eval();
        return {l->vector(), info->vector()};
    }

    /// Returns A A^T + size, whose lower triangle alone is right.
    template <typename T>
    static std::vector<T> definite(size_t size, size_t batches) {
        const std::vector<T> random = randomValues<T>(size * size * batches, size);
        std::vector<T> values(random.size());
        for (size_t b = 0; b < batches; ++b) {
            const DenseMatrix x(size, size, random.data() + b * size * size);
            const DenseMatrix product = x.times(x.transposed());
            for (size_t i = 0; i < size; ++i)
                for (size_t j = 0; j < size; ++j)
                    values[(b * size + i) * size + j] = static_cast<T>(
                        j > i ? NAN : product.at(i, j) + (i == j ? static_cast<double>(size) : 0));
        }
        return values;
    }

    template <typename T>
    void expectFactors(const std::vector<T>& values, const std::vector<T>& factors, size_t size,
                       size_t batches) {
        for (size_t b = 0; b < batches; ++b) {
            DenseMatrix a(size, size, values.data() + b * size * size);
            const DenseMatrix l(size, size, factors.data() + b * size * size);
            DenseMatrix product = l.times(l.transposed());
            const DenseMatrix scale = l.magnitudes().times(l.transposed().magnitudes());
            for (size_t i = 0; i < size; ++i)
                for (size_t j = i + 1; j < size; ++j) {
                    ASSERT_EQ(l.at(i, j), 0) << i << ", " << j;
                    a.at(i, j) = product.at(i, j);
                }
            EXPECT_LE(largestError<T>(product, a, scale), static_cast<double>(size + 3) / 2)
                << size << ", matrix " << b;
        }
    }

    template <typename T>
    void expectFactorsOfAllSizes() {
        for (const size_t size : casesInTurn(manager, kMatrixSizes, 2))
            for (const size_t batches : {size_t{1}, size_t{5}}) {
                const std::vector<T> values = definite<T>(size, batches);
                const Found<T> found = factor(values, {size, batches});
                EXPECT_EQ(found.info, std::vector<int32_t>(batches, 0)) << size;
                expectFactors(values, found.factor, size, batches);
            }
    }
};

TEST_F(CholeskyTest, FactorsFloatsFromTheirLowerTriangles) {
    expectFactorsOfAllSizes<float>();
}

TEST_F(CholeskyTest, FactorsDoublesFromTheirLowerTriangles) {
    expectFactorsOfAllSizes<double>();
}

TEST_F(CholeskyTest, FactorsInPlaceWithTheSameBits) {
    for (const size_t size : {size_t{16}, size_t{100}}) {
        const std::vector<float> values = definite<float>(size, 3);
        EXPECT_EQ(factor(values, {size, 3}).factor, factor(values, {size, 3}, true).factor);
    }
}

TEST_F(CholeskyTest, SaysWhichLeadingMinorIsNotPositive) {
    for (const size_t size : {size_t{3}, size_t{40}, size_t{200}})
        for (const size_t order : {size_t{1}, size / 2 + 1, size}) {
            std::vector<float> values = definite<float>(size, 3);
            values[size * size + (order - 1) * (size + 1)] = -1;
            values[2 * size * size + (order - 1) * (size + 1)] = NAN;
            const auto found = factor(values, {size, 3});
            const auto step = static_cast<int32_t>(order);
            EXPECT_EQ(found.info, (std::vector<int32_t>{0, step, step})) << size;
            values.resize(size * size);
            expectFactors(values, found.factor, size, 1);
        }
}

TEST_F(CholeskyTest, TakesMatricesWithoutElements) {
    const auto some = manager.tensorT<float>(1);
    const auto info = manager.tensorT<int32_t>({7, 7, 7});
    const TensorRange none(some, 0, 0);
    manager.sequence()
        ->record<kp::OpSyncDevice>({info})
        ->record<kp::OpCholesky>(none, none, info, SquareMatrices{0, 3})
        ->eval();
    EXPECT_EQ(info->vector(), (std::vector<int32_t>{0, 0, 0}));
}

TEST_F(CholeskyTest, RefusesArgumentsThatDoNotMatch) {
    const auto nine = manager.tensorT<float>(9);
    const auto other = manager.tensorT<float>(9);
    const auto eight = manager.tensorT<float>(8);
    const auto integers = manager.tensorT<int32_t>(9);
    const auto doubles = manager.tensorT<double>(9);
    const auto info = manager.tensorT<int32_t>(1);
    const auto expect = [&](const char* message, const TensorRange& a, const TensorRange& l,
                            const TensorRange& steps, const SquareMatrices& matrices = {3}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpCholesky(a, l, steps, matrices));
    };
    expect("A is null", {}, other, info);
    expect("A is of eInt, but must be of eFloat or eDouble", integers, other, info);
    expect("L is of eDouble, but A of eFloat; both must have the same type", nine, doubles, info);
    expect("A is 1 matrix of 3 x 3 in 9 elements, but 8 were given", eight, other, info);
    expect("L is 1 matrix of 3 x 3 in 9 elements, but 8 were given", nine, eight, info);
    expect("A is 2 matrices of 3 x 3 in 18 elements, but 9 were given", nine, other, info, {3, 2});
    expect("the info needs 1 element for each of 1 matrix, but has 9 elements", nine, other,
           integers);
    expect("the info is of eFloat, but must be of eInt or eUnsignedInt", nine, other, eight);
    expect("an extent is 2147483648", nine, other, info, {uint64_t{1} << 31});
    const auto twice = manager.tensorT<float>(12);
    expect("A and L overlap", TensorRange(twice, 0, 9), TensorRange(twice, 3, 9), info);
}

} // namespace
} // namespace kp::test
