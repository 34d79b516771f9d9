// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include <kompute/Sparse.hpp>

#include "device/arrays/ArraySupport.hpp"

namespace kp::test {
namespace {

using sparse::Csr;
using sparse::LinearMap;
using sparse::Solution;
using sparse::SolverOptions;

class SolversTest : public ArrayTest {
protected:
    /// -u'' on a line, with a term that makes it unsymmetric.
    Csr line(int size, float convection = 0) {
        std::vector<float> data;
        std::vector<int32_t> rows;
        std::vector<int32_t> columns;
        for (int i = 0; i < size; ++i)
            for (const int j : {i - 1, i, i + 1})
                if (j >= 0 && j < size) {
                    data.push_back(i == j ? 2.5f + static_cast<float>(i % 7)
                                          : -1.0f + convection * static_cast<float>(j - i));
                    rows.push_back(i);
                    columns.push_back(j);
                }
        return sparse::compressed(of(data), of(rows), of(columns), {size, size});
    }

    void expectSolved(const Csr& a, const Array& b, const Solution& found, double relative = 1e-5) {
        EXPECT_EQ(found.info, 0);
        const Array left = b - sparse::matmul(a, found.x);
        const auto error = std::sqrt(sum(square(left)).item<double>());
        // Computed anew, the residual has rounding errors of its own.
        EXPECT_LE(error, 2 * relative * std::sqrt(sum(square(b)).item<double>()));
    }

    Array side(int size) { return sin(counting({size})) + 1; }
};

TEST_F(SolversTest, SolvesWithConjugateGradients) {
    const Csr a = line(300);
    const Array b = side(300);
    expectSolved(a, b, sparse::cg(sparse::mapOf(a), b));
    SolverOptions options;
    options.preconditioner = sparse::jacobi(a);
    options.start = cos(counting({300}));
    expectSolved(a, b, sparse::cg(sparse::mapOf(a), b, options));
}

TEST_F(SolversTest, SolvesUnsymmetricEquations) {
    const Csr a = line(200, 0.4f);
    const Array b = side(200);
    SolverOptions options;
    for (const bool preconditioned : {false, true}) {
        options.preconditioner = preconditioned ? sparse::jacobi(a) : LinearMap();
        expectSolved(a, b, sparse::bicgstab(sparse::mapOf(a), b, options));
        expectSolved(a, b, sparse::gmres(sparse::mapOf(a), b, 15, options));
    }
    options.start = cos(counting({200}));
    expectSolved(a, b, sparse::bicgstab(sparse::mapOf(a), b, options));
    expectSolved(a, b, sparse::gmres(sparse::mapOf(a), b, 10, options));
}

TEST_F(SolversTest, SolvesIndefiniteEquations) {
    const Csr a = line(120);
    const Csr turned = sparse::add(
        a,
        a.withData(multiply(a.data(), where(equal(remainder(sparse::rowsOf(a), 3), 0), -2.0f, 0.0f))
                       .astype(DType::eFloat32)));
    const Csr symmetric = sparse::add(turned, sparse::transposed(turned));
    const Array b = side(120);
    SolverOptions options;
    expectSolved(symmetric, b, sparse::minres(sparse::mapOf(symmetric), b, options));
    const LinearMap scale = sparse::jacobi(symmetric.withData(abs(symmetric.data())));
    options.preconditioner = scale;
    options.start = cos(counting({120}));
    expectSolved(symmetric, b, sparse::minres(sparse::mapOf(symmetric), b, options));
}

TEST_F(SolversTest, SolvesComplexEquations) {
    const Csr a = line(100);
    const Csr turned = a.withData(multiply(a.data(), Operand::complex(0.6, 0.8)));
    const Array b = multiply(side(100), Operand::complex(1, 2));
    for (const Solution& found : {sparse::bicgstab(sparse::mapOf(turned), b),
                                  sparse::gmres(sparse::mapOf(turned), b, 20)}) {
        EXPECT_EQ(found.info, 0);
        const Array left = b - sparse::matmul(turned, found.x);
        EXPECT_LE(sum(square(abs(left))).item<double>(), 1e-9 * sum(square(abs(b))).item<double>());
    }
}

TEST_F(SolversTest, StopsAtTheFirstStepThatConverged) {
    const Csr a = line(50);
    const Array b = side(50);
    SolverOptions options;
    std::vector<Array> steps;
    options.callback = [&](const Array& x) { steps.push_back(x); };
    const Solution watched = sparse::cg(sparse::mapOf(a), b, options);
    ASSERT_GT(steps.size(), 3u);
    const Solution found = sparse::cg(sparse::mapOf(a), b);
    EXPECT_EQ(found.x.vector<float>(), watched.x.vector<float>());
    EXPECT_EQ(found.x.vector<float>(), steps.back().vector<float>());
}

TEST_F(SolversTest, ReturnsTheStepsAfterWhichItHasNotConverged) {
    const Csr a = line(500);
    SolverOptions options;
    options.maxSteps = 2;
    options.relative = 1e-6;
    EXPECT_EQ(sparse::cg(sparse::mapOf(a), side(500), options).info, 2);
    EXPECT_EQ(sparse::bicgstab(sparse::mapOf(a), side(500), options).info, 2);
    EXPECT_EQ(sparse::gmres(sparse::mapOf(a), side(500), 1, options).info, 2);
}

TEST_F(SolversTest, RunsTheSameStepsOnTheDeviceAsFromTheHost) {
    const Csr a = line(400, 0.3f);
    const Csr symmetric = line(400);
    const Array b = side(400);
    // The library knows nothing of a program's map, so the host launches these.
    const auto mapped = [](const Csr& matrix) {
        return [&matrix](const Array& x) { return sparse::matmul(matrix, x); };
    };
    SolverOptions options;
    options.relative = 1e-6;
    for (const bool preconditioned : {false, true})
        for (const int64_t most : {1, 2, 15, 16, 17, 40, 0}) {
            options.maxSteps = most;
            options.preconditioner = preconditioned ? sparse::jacobi(a) : LinearMap();
            const Solution one = sparse::bicgstab(sparse::mapOf(a), b, options);
            const Solution other = sparse::bicgstab(mapped(a), b, options);
            EXPECT_EQ(one.info, other.info) << most;
            EXPECT_EQ(one.x.vector<float>(), other.x.vector<float>()) << most;
            options.preconditioner = preconditioned ? sparse::jacobi(symmetric) : LinearMap();
            const Solution first = sparse::cg(sparse::mapOf(symmetric), b, options);
            const Solution second = sparse::cg(mapped(symmetric), b, options);
            EXPECT_EQ(first.info, second.info) << most;
            EXPECT_EQ(first.x.vector<float>(), second.x.vector<float>()) << most;
        }
}

TEST_F(SolversTest, EndsOnTheDeviceWithoutNumbers) {
    const Csr a = line(30);
    const Csr broken = a.withData(multiply(a.data(), std::numeric_limits<float>::infinity()));
    const Solution found = sparse::cg(sparse::mapOf(broken), side(30));
    EXPECT_EQ(found.info, 1);
}

TEST_F(SolversTest, SolvesAtOnceForARightSideOfZeros) {
    const Csr a = line(10);
    const Array b = zeros({10}, DType::eFloat32, &manager);
    for (const Solution& found :
         {sparse::cg(sparse::mapOf(a), b), sparse::bicgstab(sparse::mapOf(a), b),
          sparse::gmres(sparse::mapOf(a), b)}) {
        EXPECT_EQ(found.info, 0);
        expectRow<float>(found.x, std::vector<float>(10, 0));
    }
}

TEST_F(SolversTest, RefusesShapesThatDoNotFit) {
    const Csr a = line(4);
    EXPECT_ERROR(InvalidArgument, "one axis", sparse::cg(sparse::mapOf(a), counting({2, 2})));
    EXPECT_ERROR(InvalidArgument, "inner extents", sparse::cg(sparse::mapOf(a), counting({3}) + 1));
    SolverOptions options;
    options.start = counting({5});
    EXPECT_ERROR(InvalidArgument, "begins at a vector of shape (4,)",
                 sparse::bicgstab(sparse::mapOf(a), side(4), options));
    EXPECT_ERROR(InvalidArgument, "at least 1 step", sparse::gmres(sparse::mapOf(a), side(4), 0));
}

} // namespace
} // namespace kp::test
