// SPDX-License-Identifier: Apache-2.0
#include "device/dense/Decompositions.hpp"

namespace kp::test {
namespace {

using kp::SquareMatrices;

class EighTest : public DeviceTest {
protected:
    template <typename T>
    struct Found {
        std::vector<T> values;
        std::vector<T> vectors;
    };

    template <typename T>
    Found<T> eigh(const std::vector<T>& a, const SquareMatrices& matrices, bool vectors = true,
                  const kp::EighOptions& options = {}) {
        const auto given = manager.tensorT<T>(a);
        const auto values =
            manager.tensorT<T>(std::vector<T>(matrices.size * matrices.batches, T(7)));
        const auto made = manager.tensorT<T>(std::vector<T>(a.size(), T(7)));
        auto sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({given, values, made});
        sequence->record<kp::OpEigh>(
            given, values, vectors ? kp::TensorRange(made) : kp::TensorRange(), matrices, options);
        sequence->record<kp::OpSyncLocal>({values, made})->eval();
        return {values->vector(), made->vector()};
    }

    /// Compares with the bounds that the header states.
    template <typename T>
    void expectDecomposition(const Matrix& a, const T* values, const T* vectors) {
        const size_t size = a.rows;
        const Matrix v(size, size, vectors);
        Matrix scaled = v;
        double largest = 0;
        for (size_t column = 0; column < size; ++column) {
            largest = std::max(largest, std::abs(static_cast<double>(values[column])));
            for (size_t row = 0; row < size; ++row)
                scaled.at(row, column) *= values[column];
        }
        const double bound = 4 * static_cast<double>(size) * kUnit<T>;
        EXPECT_LE(largestOf(a * v - scaled), bound * std::max(largest, 1e-300));
        EXPECT_LE(lackOfOrthogonality(v), bound);
        EXPECT_TRUE(std::is_sorted(values, values + size));
        double trace = 0;
        for (size_t i = 0; i < size; ++i)
            trace += a.at(i, i) - values[i];
        EXPECT_LE(std::abs(trace), static_cast<double>(size) * bound * std::max(largest, 1e-300));
    }

    template <typename T>
    void testSizes(std::initializer_list<size_t> sizes) {
        for (const size_t size : sizes)
            for (const std::string& kind : kDecomposedKinds) {
                SCOPED_TRACE(kind + ", " + std::to_string(size));
                const Matrix basis = randomBasis(size, size, size);
                const std::vector<T> a = valuesOf<T>(matrixOfKind(kind, basis, basis));
                const Found<T> found = eigh(a, {size});
                // The lower triangle counts.
                Matrix rounded(size, size, a.data());
                for (size_t row = 0; row < size; ++row)
                    for (size_t column = row + 1; column < size; ++column)
                        rounded.at(row, column) = rounded.at(column, row);
                expectDecomposition(rounded, found.values.data(), found.vectors.data());
                EXPECT_EQ(eigh(a, {size}, false).values, found.values);
            }
    }
};

TEST_F(EighTest, DecomposesSmallMatricesOfFloats) {
    testSizes<float>({1, 2, 15, 16, 33, 64});
}

TEST_F(EighTest, DecomposesLargeMatricesOfFloats) {
    testSizes<float>({65, 130});
}

TEST_F(EighTest, DecomposesSmallMatricesOfDoubles) {
    testSizes<double>({1, 16, 17, 33});
}

TEST_F(EighTest, DecomposesLargeMatricesOfDoubles) {
    testSizes<double>({65});
}

TEST_F(EighTest, DecomposesStacks) {
    for (const size_t size : {5, 70}) {
        const size_t batches = 3;
        std::vector<double> all;
        std::vector<Matrix> matrices;
        for (size_t batch = 0; batch < batches; ++batch) {
            const Matrix basis = randomBasis(size, size, batch + 1);
            // The second one is diagonal at once, while others go on.
            matrices.push_back(matrixOfKind(batch == 1 ? "identity" : "random", basis, basis));
            Matrix& made = matrices.back();
            for (size_t row = 0; row < size; ++row)
                for (size_t column = row + 1; column < size; ++column)
                    made.at(row, column) = made.at(column, row);
            all.insert(all.end(), made.values.begin(), made.values.end());
        }
        const auto found = eigh(all, {size, batches});
        for (size_t batch = 0; batch < batches; ++batch)
            expectDecomposition(matrices[batch], found.values.data() + batch * size,
                                found.vectors.data() + batch * size * size);
    }
}

TEST_F(EighTest, ReadsTheTriangleThatIsAskedFor) {
    for (const size_t size : {6, 70}) {
        std::vector<float> a(size * size, std::numeric_limits<float>::quiet_NaN());
        std::vector<float> flipped = a;
        for (size_t row = 0; row < size; ++row)
            for (size_t column = 0; column <= row; ++column) {
                const auto value = static_cast<float>((row * 7 + column * 5) % 11) - 5;
                a[row * size + column] = value;
                flipped[column * size + row] = value;
            }
        kp::EighOptions upper;
        upper.upper = true;
        const auto lower = eigh(a, {size});
        EXPECT_FALSE(std::isnan(lower.values[0]));
        EXPECT_EQ(eigh(flipped, {size}, true, upper).vectors, lower.vectors);
    }
}

TEST_F(EighTest, ScalesLargeAndSmallNumbers) {
    for (const size_t size : {6, 70})
        for (const float factor : {1e30f, 1e-30f}) {
            const Matrix basis = randomBasis(size, size);
            Matrix a = matrixOfKind("random", basis, basis);
            for (size_t row = 0; row < size; ++row)
                for (size_t column = 0; column <= row; ++column)
                    a.at(row, column) = a.at(column, row) =
                        static_cast<float>(a.at(row, column) * factor);
            const auto found = eigh(valuesOf<float>(a), {size});
            expectDecomposition(a, found.values.data(), found.vectors.data());
        }
}

TEST_F(EighTest, GivesNanForMatricesWithInfinitiesAndNans) {
    for (const size_t size : {6, 70})
        for (const float bad :
             {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
            std::vector<float> a = valuesOf<float>(identity(size));
            a.insert(a.end(), a.begin(), a.end());
            a[size * size - 1] = bad;
            const auto found = eigh(a, {size, 2});
            for (size_t i = 0; i < size; ++i) {
                EXPECT_TRUE(std::isnan(found.values[i]));
                EXPECT_TRUE(std::isnan(found.vectors[i]));
                EXPECT_EQ(found.values[size + i], 1.0f);
            }
        }
}

TEST_F(EighTest, GivesEqualBitsFromRunToRun) {
    const Matrix basis = randomBasis(100, 100);
    const std::vector<float> a = valuesOf<float>(matrixOfKind("random", basis, basis));
    const auto first = eigh(a, {100});
    const auto second = eigh(a, {100});
    EXPECT_EQ(first.values, second.values);
    EXPECT_EQ(first.vectors, second.vectors);
}

TEST_F(EighTest, TakesStacksWithoutElements) {
    const auto one = manager.tensorT<float>({1});
    const kp::TensorRange none(one, 0, 0);
    auto sequence = manager.sequence();
    sequence->record<kp::OpEigh>(none, none, none, SquareMatrices{0, 3});
    sequence->record<kp::OpEigh>(none, none, none, SquareMatrices{5, 0})->eval();
}

TEST_F(EighTest, RefusesWrongArguments) {
    const auto a = manager.tensorT<float>(std::vector<float>(16));
    const auto values = manager.tensorT<float>(std::vector<float>(4));
    const auto vectors = manager.tensorT<float>(std::vector<float>(16));
    const auto doubles = manager.tensorT<double>(std::vector<double>(16));
    const auto integers = manager.tensorT<int32_t>(std::vector<int32_t>(16));
    const SquareMatrices four{4};
    EXPECT_THROW(kp::OpEigh(a, values, vectors, SquareMatrices{3}), kp::InvalidArgument);
    EXPECT_THROW(kp::OpEigh(a, vectors, {}, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpEigh(a, values, doubles, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpEigh(integers, values, {}, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpEigh(a, values, a, four), kp::InvalidArgument);
    EXPECT_THROW(kp::OpEigh({}, values, {}, four), kp::InvalidArgument);
}

} // namespace
} // namespace kp::test
