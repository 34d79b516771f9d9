// SPDX-License-Identifier: Apache-2.0
#include "device/dense/Decompositions.hpp"

namespace kp::test {
namespace {

using kp::RectangularMatrices;

class QrTest : public DeviceTest {
protected:
    template <typename T>
    struct Found {
        std::vector<T> q;
        std::vector<T> r;
    };

    template <typename T>
    Found<T> qr(const std::vector<T>& a, const RectangularMatrices& matrices, bool complete = false,
                bool withBasis = true) {
        const size_t inner = complete ? matrices.rows : std::min(matrices.rows, matrices.columns);
        const auto given = manager.tensorT<T>(a);
        const auto q = manager.tensorT<T>(
            std::vector<T>(std::max<size_t>(1, matrices.rows * inner * matrices.batches), T(7)));
        const auto r = manager.tensorT<T>(
            std::vector<T>(std::max<size_t>(1, matrices.columns * inner * matrices.batches), T(7)));
        kp::QrOptions options;
        options.complete = complete;
        auto sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({given, q, r});
        sequence->record<kp::OpQr>(
            given, withBasis ? kp::TensorRange(q) : kp::TensorRange(),
            kp::TensorRange(r, 0, matrices.columns * inner * matrices.batches), matrices, options);
        sequence->record<kp::OpSyncLocal>({q, r})->eval();
        return {q->vector(), r->vector()};
    }

    /// Compares with the bounds that the header states.
    template <typename T>
    void expectFactors(const Matrix& a, size_t inner, const T* q, const T* r) {
        const Matrix basis(a.rows, inner, q);
        const Matrix triangle(inner, a.columns, r);
        const double bound = 8 * static_cast<double>(a.rows) * kUnit<T>;
        const Matrix rest = (basis * triangle - a).transposed();
        const Matrix columns = a.transposed();
        for (size_t column = 0; column < a.columns; ++column) {
            const Matrix error(1, a.rows, rest.values.data() + column * a.rows);
            const Matrix given(1, a.rows, columns.values.data() + column * a.rows);
            EXPECT_LE(lengthOf(error), bound * lengthOf(given)) << "column " << column;
        }
        EXPECT_LE(lackOfOrthogonality(basis), bound);
        for (size_t row = 0; row < inner; ++row)
            for (size_t column = 0; column < std::min(row, a.columns); ++column)
                ASSERT_EQ(triangle.at(row, column), 0.0);
    }

    template <typename T>
    void testShapes(const std::vector<std::pair<size_t, size_t>>& shapes) {
        for (const auto& [rows, columns] : casesInTurn(manager, shapes, 2))
            for (const std::string& kind : kDecomposedKinds) {
                SCOPED_TRACE(kind + ", " + std::to_string(rows) + " x " + std::to_string(columns));
                const size_t inner = std::min(rows, columns);
                const std::vector<T> a = valuesOf<T>(matrixOfKind(kind, randomBasis(rows, inner, 3),
                                                                  randomBasis(columns, inner, 4)));
                const Matrix rounded(rows, columns, a.data());
                const Found<T> reduced = qr(a, {rows, columns});
                expectFactors(rounded, inner, reduced.q.data(), reduced.r.data());
                EXPECT_EQ(qr(a, {rows, columns}, false, false).r, reduced.r);
                if (kind == "random" || kind == "zero") {
                    const Found<T> complete = qr(a, {rows, columns}, true);
                    expectFactors(rounded, rows, complete.q.data(), complete.r.data());
                }
            }
    }
};

TEST_F(QrTest, FactorsSmallMatrices) {
    testShapes<float>({{1, 1}, {1, 5}, {5, 1}, {15, 17}, {33, 31}});
    testShapes<double>({{16, 16}, {31, 7}});
}

TEST_F(QrTest, FactorsLargeMatrices) {
    testShapes<float>({{100, 100}, {130, 65}, {65, 130}, {300, 2}, {2, 300}});
    testShapes<double>({{140, 33}});
}

TEST_F(QrTest, HasTheSignsOfLapack) {
    // Of [[3, 1], [4, 2]], R is [[-5, -2.2], [0, 0.4]]; a column of 0 below its diagonal stays.
    const auto found = qr<double>({3, 1, 4, 2}, {2, 2});
    const std::vector<double> expected = {-5, -2.2, 0, 0.4};
    for (size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(found.r[i], expected[i], 1e-14);
    for (const size_t size : {3, 140}) {
        std::vector<float> a = valuesOf<float>(identity(size));
        for (float& value : a)
            value *= 2;
        const auto diagonal = qr(a, {size, size});
        EXPECT_EQ(diagonal.r, a);
        EXPECT_EQ(diagonal.q, valuesOf<float>(identity(size)));
    }
}

TEST_F(QrTest, FactorsStacks) {
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{6, 4}, {140, 70}}) {
        const Matrix a = randomMatrix(3 * rows, columns);
        const auto found = qr(valuesOf<double>(a), {rows, columns, 3});
        for (size_t batch = 0; batch < 3; ++batch)
            expectFactors(Matrix(rows, columns, a.values.data() + batch * rows * columns), columns,
                          found.q.data() + batch * rows * columns,
                          found.r.data() + batch * columns * columns);
    }
}

TEST_F(QrTest, ScalesLargeAndSmallNumbers) {
    for (const size_t size : {6, 140})
        for (const float factor : {1e30f, 1e-30f}) {
            Matrix a = randomMatrix(size, size);
            for (double& value : a.values)
                value = static_cast<float>(value * factor);
            const auto found = qr(valuesOf<float>(a), {size, size});
            expectFactors(a, size, found.q.data(), found.r.data());
        }
}

TEST_F(QrTest, SpreadsNans) {
    for (const size_t size : {6, 140}) {
        std::vector<float> a = valuesOf<float>(randomMatrix(size, size));
        a[0] = std::numeric_limits<float>::quiet_NaN();
        const auto found = qr(a, {size, size});
        EXPECT_TRUE(std::isnan(found.r[0]));
        EXPECT_TRUE(std::isnan(found.q[0]));
    }
}

TEST_F(QrTest, GivesEqualBitsFromRunToRun) {
    const std::vector<float> a = valuesOf<float>(randomMatrix(300, 140));
    const auto first = qr(a, {300, 140});
    const auto second = qr(a, {300, 140});
    EXPECT_EQ(first.q, second.q);
    EXPECT_EQ(first.r, second.r);
}

TEST_F(QrTest, TakesMatricesWithoutElements) {
    const auto one = manager.tensorT<float>({1});
    const kp::TensorRange none(one, 0, 0);
    auto sequence = manager.sequence();
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{0, 0}, {3, 0}, {0, 3}})
        sequence->record<kp::OpQr>(none, none, none, RectangularMatrices{rows, columns});
    sequence->record<kp::OpQr>(none, none, none, RectangularMatrices{3, 3, 0})->eval();
    const auto q = manager.tensorT<float>(std::vector<float>(9, 7));
    kp::QrOptions complete;
    complete.complete = true;
    sequence->record<kp::OpQr>(none, q, none, RectangularMatrices{3, 0}, complete);
    sequence->record<kp::OpSyncLocal>({q})->eval();
    EXPECT_EQ(q->vector(), valuesOf<float>(identity(3)));
}

TEST_F(QrTest, RefusesWrongArguments) {
    const auto a = manager.tensorT<float>(std::vector<float>(12));
    const auto q = manager.tensorT<float>(std::vector<float>(12));
    const auto r = manager.tensorT<float>(std::vector<float>(9));
    const auto integers = manager.tensorT<int32_t>(std::vector<int32_t>(12));
    const RectangularMatrices four{4, 3};
    EXPECT_THROW(kp::OpQr(a, q, r, RectangularMatrices{3, 3}), kp::InvalidArgument);
    EXPECT_THROW(kp::OpQr(a, r, q, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpQr(integers, q, r, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpQr(a, a, r, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpQr(a, q, {}, four), kp::InvalidArgument);
}

} // namespace
} // namespace kp::test
