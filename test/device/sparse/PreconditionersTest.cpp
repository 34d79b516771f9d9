// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <vector>

#include <kompute/Sparse.hpp>

#include "device/arrays/ArraySupport.hpp"

namespace kp::test {
namespace {

using sparse::Csr;
using sparse::Triangle;

class PreconditionersTest : public ArrayTest {
protected:
    struct Element {
        int row, column;
        float value;
    };
    Csr matrix(int size, const std::vector<Element>& elements) {
        std::vector<float> data;
        std::vector<int32_t> rows, columns;
        for (const auto& [row, column, value] : elements) {
            rows.push_back(row);
            columns.push_back(column);
            data.push_back(value);
        }
        return sparse::compressed(of(data), of(rows), of(columns), {size, size});
    }
    /// Poisson's equation on a square of points.
    Csr poisson(int extent) {
        std::vector<Element> elements;
        for (int i = 0; i < extent * extent; ++i) {
            elements.push_back({i, i, 4});
            for (const int step : {1, extent}) {
                const bool isInside =
                    step == 1 ? i % extent + 1 < extent : i + extent < extent * extent;
                if (isInside) {
                    elements.push_back({i, i + step, -1});
                    elements.push_back({i + step, i, -1});
                }
            }
        }
        return matrix(extent * extent, elements);
    }
    /// Expects that a solver with a preconditioner takes fewer steps than without.
    void expectFaster(const Csr& a, const sparse::LinearMap& preconditioner, double part) {
        const Array b = sin(counting({a.rows()})) + 1;
        const auto stepsOf = [&](const sparse::LinearMap& map) {
            int steps = 0;
            sparse::SolverOptions options;
            options.preconditioner = map;
            options.callback = [&](const Array&) { ++steps; };
            EXPECT_EQ(sparse::cg(sparse::mapOf(a), b, options).info, 0);
            options.callback = nullptr;
            const sparse::Solution found = sparse::cg(sparse::mapOf(a), b, options);
            const Array left = b - sparse::matmul(a, found.x);
            EXPECT_LE(sum(square(left)).item<float>(), 1e-9f * sum(square(b)).item<float>());
            return steps;
        };
        EXPECT_LT(stepsOf(preconditioner), part * stepsOf({}));
    }
};

TEST_F(PreconditionersTest, SolvesTriangles) {
    const Csr a =
        matrix(4, {{0, 0, 2}, {1, 1, 4}, {2, 0, 1}, {2, 2, 1}, {3, 2, -1}, {3, 1, 2}, {3, 3, 5}});
    const Triangle lower(a);
    EXPECT_EQ(lower.levels(), 3);
    expectNear<float>(lower.solve(of(std::vector<float>{2, 4, 5, 3})), {1, 1, 4, 1});
    const Array sides = counting({4, 3}) + 1;
    const Array found = lower.solve(sides);
    expectNear<float>(sparse::matmul(a, found).reshape({-1}),
                      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    const Triangle upper(sparse::transposed(a), {true, false});
    const Array b = of(std::vector<float>{1, 2, 3, 4});
    expectNear<float>(sparse::matmul(sparse::transposed(a), upper.solve(b)), {1, 2, 3, 4});
    const Triangle unit(a, {false, true});
    expectNear<float>(unit.solve(b), {1, 2, 2, 2});
    EXPECT_EQ(Triangle(matrix(3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 2}})).levels(), 1);
}

TEST_F(PreconditionersTest, RefusesMatricesThatAreNotTriangular) {
    const Csr a = matrix(3, {{0, 0, 1}, {1, 0, 1}, {1, 1, 0}, {2, 2, 1}});
    EXPECT_ERROR(InvalidArgument, "diagonal is 0 in row 1", Triangle{a});
    EXPECT_ERROR(InvalidArgument, "element (1, 0) is below the diagonal",
                 Triangle(a, {true, true}));
    EXPECT_ERROR(InvalidArgument, "element (0, 1) is above the diagonal",
                 Triangle{sparse::transposed(a)});
    EXPECT_ERROR(InvalidArgument, "takes right sides of 3 rows",
                 Triangle(a, {false, true}).solve(counting({2})));
    EXPECT_ERROR(InvalidArgument, "square", Triangle{sparse::rowsBetween(a, 0, 2)});
}

TEST_F(PreconditionersTest, FactorsWithoutFill) {
    // Without fill to be dropped, the factor is Cholesky's, and the map is the inverse.
    const Csr a = matrix(
        4,
        {{0, 0, 4}, {1, 0, -1}, {0, 1, -1}, {1, 1, 4}, {1, 2, 2}, {2, 1, 2}, {2, 2, 5}, {3, 3, 9}});
    const Array x = of(std::vector<float>{1, -2, 3, 4});
    expectNear<float>(sparse::incompleteCholesky(a)(sparse::matmul(a, x)), {1, -2, 3, 4});
    const Csr turned = a.withData(
        where(equal(sparse::rowsOf(a), a.indices()), a.data(),
              multiply(a.data(), where(less(sparse::rowsOf(a), a.indices()), 1.0f, -1.0f)))
            .astype(DType::eComplex64));
    const Csr hermitian =
        turned.withData(where(equal(sparse::rowsOf(a), a.indices()), turned.data(),
                              multiply(turned.data(), Operand::complex(0, 1))));
    const Array found = sparse::incompleteCholesky(hermitian)(sparse::matmul(hermitian, x));
    expectNear<float>(real(found), {1, -2, 3, 4});
    expectNear<float>(imag(found), {0, 0, 0, 0});
}

TEST_F(PreconditionersTest, MakesSolversFaster) {
    const Csr a = poisson(30);
    expectFaster(a, sparse::incompleteCholesky(a), 0.6);
    expectFaster(a, sparse::blockJacobi(a, 30), 0.95);
}

TEST_F(PreconditionersTest, NamesThePivotThatIsNotPositive) {
    const Csr a = matrix(3, {{0, 0, 1}, {1, 1, 1}, {2, 1, 2}, {1, 2, 2}, {2, 2, 1}});
    EXPECT_ERROR(InvalidArgument, "the pivot of row 2 is -3, not positive; raise the shift",
                 sparse::incompleteCholesky(a));
    EXPECT_NO_THROW(sparse::incompleteCholesky(a, 2));
    EXPECT_ERROR(InvalidArgument, "the pivot of row 1 is 0",
                 sparse::incompleteCholesky(matrix(2, {{0, 0, 1}, {1, 0, 0}})));
    EXPECT_ERROR(InvalidArgument, "at least 0, not -1", sparse::incompleteCholesky(a, -1));
}

TEST_F(PreconditionersTest, DividesByBlocks) {
    const Csr a = matrix(5, {{0, 0, 2},
                             {0, 1, 1},
                             {1, 0, 1},
                             {1, 1, 3},
                             {2, 3, 2},
                             {3, 2, 4},
                             {0, 4, 7},
                             {4, 1, 7},
                             {4, 4, 8}});
    const Array b = of(std::vector<float>{5, 10, 2, 4, 16});
    expectNear<float>(sparse::blockJacobi(a, 2)(b), {1, 3, 1, 1, 2});
    const Csr line = matrix(3, {{0, 0, 2}, {1, 1, 4}, {2, 2, 5}, {0, 1, 9}});
    expectNear<float>(sparse::blockJacobi(line, 1)(of(std::vector<float>{2, 4, 10})), {1, 1, 2});
    expectNear<float>(sparse::blockJacobi(line, 100)(of(std::vector<float>{11, 4, 10})), {1, 1, 2});
    EXPECT_ERROR(InvalidArgument, "the rows from 2 to 3 is singular",
                 sparse::blockJacobi(matrix(5, {{0, 0, 1}, {1, 1, 1}, {2, 3, 2}, {4, 4, 1}}), 2));
    EXPECT_ERROR(InvalidArgument, "at least 1 row, not 0", sparse::blockJacobi(a, 0));
    EXPECT_ERROR(InvalidArgument, "real matrices",
                 sparse::blockJacobi(a.withData(a.data().astype(DType::eComplex64)), 2));
}

} // namespace
} // namespace kp::test
