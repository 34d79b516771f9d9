// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "device/arrays/ArraySupport.hpp"

namespace kp::test {
namespace {

class ArrayLinearAlgebraTest : public ArrayTest {
protected:
    /// Matrices that are far from singular.
    Array matrices(const Shape& stack, int64_t size) {
        Shape shape = stack;
        shape.append({size, size});
        return sin(counting(shape)) + eye(size, size, 0, DType::eFloat32, &manager) * 5.f;
    }
    static void expectSame(const Array& found, const Array& expected) {
        EXPECT_EQ(toString(found.shape()), toString(expected.shape()));
        const std::vector<float> values = expected.vector<float>();
        expectNear<float>(found, std::vector<double>(values.begin(), values.end()), 1e-3);
    }
};

TEST_F(ArrayLinearAlgebraTest, SolvesForStacksThatBroadcast) {
    const Array a = matrices({2, 1}, 20);
    const Array x = cos(counting({3, 20, 4})) + 2.f;
    expectSame(solve(a, matmul(a, x)), x.broadcastTo({2, 3, 20, 4}));
    const Array vector = counting({20}) + 1.f;
    expectSame(solve(a(0, 0), matmul(a(0, 0), vector)), vector);
}

TEST_F(ArrayLinearAlgebraTest, InvertsViewsAsTheyAre) {
    const Array a = matrices({}, 40);
    const Array part = swapaxes(a(Slice(3, 33), Slice(3, 33)), 0, 1);
    expectSame(matmul(inv(part), part) + 1.f, eye(30, 30, 0, DType::eFloat32, &manager) + 1.f);
}

TEST_F(ArrayLinearAlgebraTest, FactorsTheTriangleThatIsAsked) {
    const Array a = matrices({2}, 10);
    const Array whole = matmul(a, swapaxes(a, -1, -2));
    const Array lower = cholesky(whole);
    const Array upper = cholesky(whole, true);
    expectSame(matmul(lower, swapaxes(lower, -1, -2)) + 50.f, whole + 50.f);
    expectSame(upper + 9.f, swapaxes(lower, -1, -2) + 9.f);
}

TEST_F(ArrayLinearAlgebraTest, HasDeterminantsWithTheirSigns) {
    const Array a = of<float>({0, 2, 3, 1, 4, 0, 0, 0.5, 1, 2, 2, 4}, {3, 2, 2});
    expectNear<float>(det(a), {-6, 2, 0});
    const SignAndLogarithm found = slogdet(a);
    expectNear<float>(found.sign, {-1, 1, 0});
    expectNear<float>(found.logarithm, {std::log(6.0), std::log(2.0), -INFINITY});
    EXPECT_EQ(det(zeros({2, 0, 0}, DType::eFloat32, &manager)).vector<float>(),
              (std::vector<float>{1, 1}));
}

TEST_F(ArrayLinearAlgebraTest, ThrowsForMatricesWithoutFactors) {
    const Array ones = full({2, 3, 3}, 1, DType::eFloat32, &manager);
    EXPECT_ERROR(kp::InvalidArgument, "inv(): a matrix is singular", inv(ones));
    EXPECT_ERROR(kp::InvalidArgument, "solve(): a matrix is singular", solve(ones, ones));
    EXPECT_ERROR(kp::InvalidArgument, "cholesky(): a matrix is not positive definite",
                 cholesky(-ones));
    const arrays::Factored found = arrays::inverseOf(ones);
    EXPECT_EQ(found.info.vector<int32_t>(), (std::vector<int32_t>{2, 2}));
}

TEST_F(ArrayLinearAlgebraTest, RefusesWhatIsNoSystem) {
    const Array wide = counting({2, 3});
    EXPECT_ERROR(kp::InvalidArgument, "det() takes square matrices, not the shape (2, 3)",
                 det(wide));
    EXPECT_ERROR(kp::InvalidArgument, "inv() takes matrices, of at least two axes", inv(wide(0)));
    EXPECT_ERROR(kp::InvalidArgument, "solve() needs 3 rows of the right sides",
                 solve(matrices({}, 3), wide));
    EXPECT_ERROR(kp::InvalidArgument, "inv() takes matrices of real numbers, not of complex64",
                 inv(matrices({}, 3).astype(DType::eComplex64)));
}

} // namespace
} // namespace kp::test
