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
            const Solution minimal = sparse::minres(sparse::mapOf(symmetric), b, options);
            const Solution again = sparse::minres(mapped(symmetric), b, options);
            EXPECT_EQ(minimal.info, again.info) << most;
            EXPECT_EQ(minimal.x.vector<float>(), again.x.vector<float>()) << most;
        }
}

TEST_F(SolversTest, RestartsOnTheDeviceAsFromTheHost) {
    const Csr a = line(300, 0.3f);
    const Array b = side(300);
    const auto mapped = [&](const Array& x) { return sparse::matmul(a, x); };
    SolverOptions options;
    for (const bool preconditioned : {false, true}) {
        options.preconditioner = preconditioned ? sparse::jacobi(a) : LinearMap();
        for (const int64_t restart : {1, 4, 50})
            for (const int64_t most : {1, 3, 0}) {
                options.maxSteps = most;
                const Solution one = sparse::gmres(sparse::mapOf(a), b, restart, options);
                const Solution other = sparse::gmres(mapped, b, restart, options);
                EXPECT_EQ(one.info, other.info) << restart << " " << most;
                expectNear<float>(
                    one.x, arrays::contiguous(other.x.astype(DType::eFloat64)).vector<double>(),
                    1e-4);
            }
    }
}

TEST_F(SolversTest, EndsIfRestartsGainNothing) {
    // A shift: the residual of the first vector is orthogonal to all images.
    const int size = 6;
    std::vector<float> data(size, 1);
    std::vector<int32_t> rows, columns;
    for (int i = 0; i < size; ++i) {
        rows.push_back(i);
        columns.push_back((i + 1) % size);
    }
    const Csr cycle = sparse::compressed(of(data), of(rows), of(columns), {size, size});
    std::vector<float> first(size, 0);
    first[0] = 1;
    EXPECT_EQ(sparse::gmres(sparse::mapOf(cycle), of(first), size - 1).info, 1);
    const Solution whole = sparse::gmres(sparse::mapOf(cycle), of(first), size);
    EXPECT_EQ(whole.info, 0);
    expectNear<float>(whole.x, {0, 1, 0, 0, 0, 0});
    const Csr nothing = cycle.withData(cycle.data() * 0.0f);
    EXPECT_EQ(sparse::gmres(sparse::mapOf(nothing), of(first), 3).info, 1);
    // In the space after one vector, which is an eigenvector.
    const Csr identity = sparse::compressed(of(data) * 2.0f, of(rows), of(rows), {size, size});
    const Solution found = sparse::gmres(sparse::mapOf(identity), of(first), 4);
    EXPECT_EQ(found.info, 0);
    expectNear<float>(found.x, {0.5, 0, 0, 0, 0, 0});
}

TEST_F(SolversTest, DoesNotTakeSingularEquationsAsSolved) {
    const std::vector<int32_t> places = {0, 1, 2};
    const Csr a =
        sparse::compressed(of(std::vector<float>{1, 2, 0}), of(places), of(places), {3, 3});
    const Array b = ones({3}, DType::eFloat32, &manager);
    EXPECT_GT(sparse::minres(sparse::mapOf(a), b).info, 0);
    EXPECT_GT(sparse::gmres(sparse::mapOf(a), b).info, 0);
    const Array consistent = of(std::vector<float>{1, 1, 0});
    const Solution found = sparse::minres(sparse::mapOf(a), consistent);
    EXPECT_EQ(found.info, 0);
    expectNear<float>(found.x, {1, 0.5, 0});
    const Csr large = line(60);
    expectSolved(large, side(60) * 1e10f, sparse::minres(sparse::mapOf(large), side(60) * 1e10f));
}

TEST_F(SolversTest, EndsWithoutNumbers) {
    const Csr a = line(30);
    const Csr broken = a.withData(multiply(a.data(), std::numeric_limits<float>::quiet_NaN()));
    EXPECT_EQ(sparse::gmres(sparse::mapOf(broken), side(30)).info, 1);
    EXPECT_EQ(sparse::minres(sparse::mapOf(broken), side(30)).info, 1);
}

TEST_F(SolversTest, RefusesComplexMapsOfRealSides) {
    const Csr a = line(20);
    const Csr turned = a.withData(multiply(a.data(), Operand::complex(0.6, 0.8)));
    for (const auto solver : {sparse::cg, sparse::bicgstab, sparse::minres})
        EXPECT_ERROR(InvalidArgument, "convert the right side",
                     solver(sparse::mapOf(turned), side(20), {}));
    EXPECT_ERROR(InvalidArgument, "convert the right side",
                 sparse::gmres(sparse::mapOf(turned), side(20), 5));
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
          sparse::gmres(sparse::mapOf(a), b), sparse::minres(sparse::mapOf(a), b)}) {
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
    options = {};
    options.preconditioner = [](const Array& x) { return x * -1.0f; };
    EXPECT_ERROR(InvalidArgument, "positive definite preconditioner",
                 sparse::minres(sparse::mapOf(a), side(4), options));
}

} // namespace
} // namespace kp::test
