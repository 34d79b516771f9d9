// SPDX-License-Identifier: Apache-2.0
#include "device/dense/Decompositions.hpp"

namespace kp::test {
namespace {

using kp::RectangularMatrices;

class SvdTest : public DeviceTest {
protected:
    template <typename T>
    struct Found {
        std::vector<T> u;
        std::vector<T> s;
        std::vector<T> vh;
    };

    template <typename T>
    Found<T> svd(const std::vector<T>& a, const RectangularMatrices& matrices, bool full = false,
                 bool vectors = true) {
        const size_t count = std::min(matrices.rows, matrices.columns);
        const auto given = manager.tensorT<T>(a);
        const auto u = manager.tensorT<T>(std::vector<T>(
            matrices.rows * (full ? matrices.rows : count) * matrices.batches, T(7)));
        const auto s = manager.tensorT<T>(std::vector<T>(count * matrices.batches, T(7)));
        const auto vh = manager.tensorT<T>(std::vector<T>(
            matrices.columns * (full ? matrices.columns : count) * matrices.batches, T(7)));
        kp::SvdOptions options;
        options.full = full;
        auto sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({given, u, s, vh});
        sequence->record<kp::OpSvd>(given, vectors ? kp::TensorRange(u) : kp::TensorRange(), s,
                                    vectors ? kp::TensorRange(vh) : kp::TensorRange(), matrices,
                                    options);
        sequence->record<kp::OpSyncLocal>({u, s, vh})->eval();
        return {u->vector(), s->vector(), vh->vector()};
    }

    /// Compares with the bounds that the header states.
    template <typename T>
    void expectDecomposition(const Matrix& a, bool full, const T* u, const T* s, const T* vh) {
        const size_t count = std::min(a.rows, a.columns);
        const Matrix left(a.rows, full ? a.rows : count, u);
        const Matrix right(full ? a.columns : count, a.columns, vh);
        Matrix product(a.rows, a.columns);
        for (size_t row = 0; row < a.rows; ++row)
            for (size_t i = 0; i < count; ++i) {
                const double factor = left.at(row, i) * static_cast<double>(s[i]);
                for (size_t column = 0; column < a.columns; ++column)
                    product.at(row, column) += factor * right.at(i, column);
            }
        const double bound = 8 * static_cast<double>(std::max(a.rows, a.columns)) * kUnit<T>;
        EXPECT_LE(largestOf(product - a), bound * std::max<double>(s[0], 1e-300));
        EXPECT_LE(lackOfOrthogonality(left), bound);
        EXPECT_LE(lackOfOrthogonality(right.transposed()), bound);
        EXPECT_TRUE(std::is_sorted(s, s + count, std::greater<T>()));
        EXPECT_GE(s[count - 1], T(0));
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
                const Found<T> reduced = svd(a, {rows, columns});
                expectDecomposition(rounded, false, reduced.u.data(), reduced.s.data(),
                                    reduced.vh.data());
                const auto values = svd(a, {rows, columns}, false, false).s;
                for (size_t i = 0; i < inner; ++i)
                    EXPECT_NEAR(values[i], reduced.s[i],
                                8 * std::max(rows, columns) * kUnit<T> * reduced.s[0]);
                if (kind == "random" || kind == "zero" || kind == "of low rank") {
                    const Found<T> full = svd(a, {rows, columns}, true);
                    expectDecomposition(rounded, true, full.u.data(), full.s.data(),
                                        full.vh.data());
                }
            }
    }
};

TEST_F(SvdTest, DecomposesSmallMatrices) {
    testShapes<float>({{1, 1}, {5, 1}, {15, 17}, {33, 31}});
    testShapes<double>({{16, 16}});
}

TEST_F(SvdTest, DecomposesLargeMatrices) {
    testShapes<float>({{100, 100}, {65, 130}, {3, 300}});
    testShapes<double>({{90, 33}});
}

TEST_F(SvdTest, FindsSingularValuesThatAreKnown) {
    for (const size_t size : {8, 80}) {
        const Matrix u = randomBasis(size + 3, size, 1);
        Matrix scaled = u;
        for (size_t i = 0; i < size; ++i)
            for (size_t row = 0; row < u.rows; ++row)
                scaled.at(row, i) *= static_cast<double>(size - i);
        const Matrix a = scaled * randomBasis(size, size, 2).transposed();
        const auto found = svd(valuesOf<double>(a), {a.rows, a.columns});
        for (size_t i = 0; i < size; ++i)
            EXPECT_NEAR(found.s[i], static_cast<double>(size - i), 1e-12);
    }
}

TEST_F(SvdTest, DecomposesStacks) {
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{6, 4}, {70, 80}}) {
        const size_t count = std::min(rows, columns);
        Matrix a = randomMatrix(3 * rows, columns);
        for (size_t i = 0; i < rows * columns; ++i)
            a.values[rows * columns + i] = 0; // the second one
        const auto found = svd(valuesOf<double>(a), {rows, columns, 3});
        for (size_t batch = 0; batch < 3; ++batch)
            expectDecomposition(Matrix(rows, columns, a.values.data() + batch * rows * columns),
                                false, found.u.data() + batch * rows * count,
                                found.s.data() + batch * count,
                                found.vh.data() + batch * count * columns);
    }
}

TEST_F(SvdTest, ScalesLargeAndSmallNumbers) {
    for (const size_t size : {6, 80})
        for (const float factor : {1e30f, 1e-30f}) {
            Matrix a = randomMatrix(size, size);
            for (double& value : a.values)
                value = static_cast<float>(value * factor);
            const auto found = svd(valuesOf<float>(a), {size, size});
            expectDecomposition(a, false, found.u.data(), found.s.data(), found.vh.data());
        }
}

TEST_F(SvdTest, GivesNanForMatricesWithInfinitiesAndNans) {
    for (const size_t size : {6, 80})
        for (const float bad :
             {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
            std::vector<float> a = valuesOf<float>(identity(size));
            a.insert(a.end(), a.begin(), a.end());
            a[size + 3] = bad;
            const auto found = svd(a, {size, size, 2});
            for (size_t i = 0; i < size; ++i) {
                EXPECT_TRUE(std::isnan(found.u[i]));
                EXPECT_TRUE(std::isnan(found.s[i]));
                EXPECT_TRUE(std::isnan(found.vh[i]));
                EXPECT_EQ(found.s[size + i], 1.0f);
            }
        }
}

TEST_F(SvdTest, GivesEqualBitsFromRunToRun) {
    const std::vector<float> a = valuesOf<float>(randomMatrix(120, 80));
    const auto first = svd(a, {120, 80});
    const auto second = svd(a, {120, 80});
    EXPECT_EQ(first.u, second.u);
    EXPECT_EQ(first.s, second.s);
    EXPECT_EQ(first.vh, second.vh);
}

TEST_F(SvdTest, TakesMatricesWithoutElements) {
    const auto one = manager.tensorT<float>({1});
    const kp::TensorRange none(one, 0, 0);
    auto sequence = manager.sequence();
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{0, 0}, {3, 0}, {0, 3}})
        sequence->record<kp::OpSvd>(none, none, none, none, RectangularMatrices{rows, columns});
    sequence->record<kp::OpSvd>(none, none, none, none, RectangularMatrices{3, 3, 0})->eval();
    kp::SvdOptions full;
    full.full = true;
    const auto basis = manager.tensorT<float>(std::vector<float>(9, 7));
    for (const bool tall : {false, true}) {
        sequence->record<kp::OpFill>(kp::MemoryObjects{basis}, 7.0f);
        sequence->record<kp::OpSvd>(
            none, tall ? kp::TensorRange(basis) : none, none, tall ? none : kp::TensorRange(basis),
            tall ? RectangularMatrices{3, 0} : RectangularMatrices{0, 3}, full);
        sequence->record<kp::OpSyncLocal>({basis})->eval();
        EXPECT_EQ(basis->vector(), valuesOf<float>(identity(3)));
    }
}

TEST_F(SvdTest, RefusesWrongArguments) {
    const auto a = manager.tensorT<float>(std::vector<float>(12));
    const auto u = manager.tensorT<float>(std::vector<float>(12));
    const auto s = manager.tensorT<float>(std::vector<float>(3));
    const auto vh = manager.tensorT<float>(std::vector<float>(9));
    const auto doubles = manager.tensorT<double>(std::vector<double>(3));
    const RectangularMatrices matrices{4, 3};
    EXPECT_THROW(kp::OpSvd(a, u, s, vh, RectangularMatrices{3, 3}), kp::InvalidArgument);
    EXPECT_THROW(kp::OpSvd(a, vh, s, u, matrices), kp::InvalidArgument);
    EXPECT_THROW(kp::OpSvd(a, u, s, {}, matrices), kp::InvalidArgument);
    EXPECT_THROW(kp::OpSvd(a, u, doubles, vh, matrices), kp::InvalidArgument);
    EXPECT_THROW(kp::OpSvd(a, a, s, vh, matrices), kp::InvalidArgument);
}

} // namespace
} // namespace kp::test
