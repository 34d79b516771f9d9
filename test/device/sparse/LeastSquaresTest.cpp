// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <kompute/Sparse.hpp>

#include "device/arrays/ArraySupport.hpp"

namespace kp::test {
namespace {

using sparse::Csr;
using sparse::LeastSquares;
using sparse::LeastSquaresOptions;

class LeastSquaresTest : public ArrayTest {
protected:
    /// The equations of a line through the points.
    Csr line() { return sparse::compressed(of<float>({1, 0, 1, 1, 1, 2}, {3, 2})); }
    Array points() { return of<float>({1, 2, 4}); }

    static void expectNear(const Array& found, const std::vector<double>& expected, double error) {
        const std::vector<float> values = found.astype(DType::eFloat32).vector<float>();
        ASSERT_EQ(values.size(), expected.size());
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_NEAR(values[i], expected[i], error) << i;
    }
};

TEST_F(LeastSquaresTest, FitsALine) {
    const LeastSquares found = sparse::lsqr(line(), points());
    expectNear(found.x, {5.0 / 6, 1.5}, 1e-5);
    EXPECT_EQ(found.reason, 2);
    EXPECT_GE(found.steps, 2);
    EXPECT_NEAR(found.residualNorm, std::sqrt(1.0 / 6), 1e-5);
    EXPECT_NEAR(found.changeNorm, std::hypot(5.0 / 6, 1.5), 1e-5);
    expectNear(found.variance, {0, 0}, 0);
}

TEST_F(LeastSquaresTest, SolvesEquationsOfWideMatricesWithTheSmallestNorm) {
    const Csr wide = sparse::compressed(of<float>({1, 1, 0, 0, 0, 2}, {2, 3}));
    const LeastSquares found = sparse::lsqr(wide, of<float>({4, 6}));
    expectNear(found.x, {2, 2, 3}, 1e-5);
    EXPECT_EQ(found.reason, 1);
}

TEST_F(LeastSquaresTest, DampsTheDistanceFromTheStart) {
    const Csr one = sparse::compressed(of<float>({2, 0, 0, 1}, {2, 2}));
    LeastSquaresOptions options;
    options.damp = 1;
    options.start = of<float>({1, 3});
    options.variance = true;
    // Each element minimizes (b - a x)^2 + (x - start)^2.
    const LeastSquares found = sparse::lsqr(one, of<float>({7, 1}), options);
    expectNear(found.x, {(2 * 7 + 1) / 5.0, (1 + 3) / 2.0}, 1e-5);
    expectNear(found.variance, {1 / 5.0, 1 / 2.0}, 1e-5);
    EXPECT_NEAR(found.residualNorm, std::hypot(7 - 6, 1 - 2), 1e-4);
}

TEST_F(LeastSquaresTest, TakesComplexMatricesAndFunctions) {
    const Csr real = line();
    const Csr turned = real.withData(multiply(real.data(), Operand::complex(0, 2)));
    const LeastSquares found = sparse::lsqr(turned, points());
    expectNear(kp::imag(found.x), {-5.0 / 12, -0.75}, 1e-5);
    expectNear(kp::real(found.x), {0, 0}, 1e-5);
    const Csr across = sparse::transposed(real);
    const LeastSquares again =
        sparse::lsqr([&](const Array& x) { return sparse::matmul(real, x); },
                     [&](const Array& x) { return sparse::matmul(across, x); }, points());
    expectNear(again.x, {5.0 / 6, 1.5}, 1e-5);
}

TEST_F(LeastSquaresTest, SaysWhyItStopped) {
    LeastSquaresOptions options;
    options.maxSteps = 1;
    options.matrix = options.side = 0;
    EXPECT_EQ(sparse::lsqr(line(), points(), options).reason, 7);
    options.maxSteps = 0;
    EXPECT_EQ(sparse::lsqr(line(), points(), options).steps, 0);
    const LeastSquares none = sparse::lsqr(line(), zeros({3}, DType::eFloat32, &manager));
    EXPECT_EQ(none.reason, 0);
    expectNear(none.x, {0, 0}, 0);
    options = {};
    options.condition = 3;
    std::vector<float> diagonal(64);
    for (size_t i = 0; i < 8; ++i)
        diagonal[9 * i] = static_cast<float>(i + 1);
    const Csr wide = sparse::compressed(of(diagonal, {8, 8}));
    EXPECT_EQ(sparse::lsqr(wide, of(std::vector<float>(8, 1)), options).reason, 3);
}

TEST_F(LeastSquaresTest, RefusesShapesThatDoNotFit) {
    EXPECT_ERROR(InvalidArgument, "3 rows", sparse::lsqr(line(), of<float>({1, 2})));
    LeastSquaresOptions options;
    options.start = of<float>({1, 2, 3});
    EXPECT_THROW(sparse::lsqr(line(), points(), options), InvalidArgument);
}

} // namespace
} // namespace kp::test
