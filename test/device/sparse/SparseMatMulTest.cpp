// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/sparse/SparsePlan.hpp"

namespace kp::test {
namespace {

using kp::SparseExtents;
using kp::SparseMethod;
using kp::SparseOptions;
using kp::TensorRange;

/// A matrix in compressed rows whose rows have given lengths.
template <typename T, typename Index>
struct Compressed {
    Compressed(const std::vector<size_t>& lengths, size_t columns) : extents{0, columns, 1} {
        extents.rows = lengths.size();
        offsets.push_back(0);
        for (size_t row = 0; row < lengths.size(); ++row) {
            for (size_t i = 0; i < lengths[row]; ++i)
                indices.push_back(static_cast<Index>((row * 7 + i * 13) % columns));
            offsets.push_back(static_cast<Index>(indices.size()));
        }
        values = numbers(indices.size(), 1);
    }

    static std::vector<T> numbers(size_t count, uint64_t seed) {
        if constexpr (std::is_floating_point_v<T>) {
            return randomValues<T>(count, seed);
        } else {
            using Part = typename T::value_type;
            const std::vector<Part> parts = randomValues<Part>(2 * count, seed);
            std::vector<T> made(count);
            for (size_t i = 0; i < count; ++i)
                made[i] = T(parts[2 * i], parts[2 * i + 1]);
            return made;
        }
    }

    std::vector<Index> offsets;
    std::vector<Index> indices;
    std::vector<T> values;
    SparseExtents extents;
};

std::vector<size_t> evenRows(size_t rows, size_t length) {
    return std::vector<size_t>(rows, length);
}

/// Most rows are short or empty, and one has most of the elements.
std::vector<size_t> skewedRows(size_t rows, size_t longest) {
    std::vector<size_t> lengths(rows);
    for (size_t i = 0; i < rows; ++i)
        lengths[i] = i % 3 == 0 ? 0 : i % 5;
    lengths[rows / 2] = longest;
    return lengths;
}

class SparseMatMulTest : public DeviceTest {
protected:
    template <typename T>
    std::shared_ptr<kp::Tensor> tensorOf(const std::vector<T>& values) {
        if constexpr (std::is_arithmetic_v<T>)
            return manager.tensorT<T>(values);
        else
            return manager.tensor(const_cast<T*>(values.data()),
                                  static_cast<uint32_t>(values.size()), sizeof(T),
                                  kp::Memory::DataTypes::eCustom);
    }

    template <typename T, typename Index>
    void expectProduct(Compressed<T, Index> a, uint64_t columns, SparseMethod method) {
        a.extents.columns = columns;
        const std::vector<T> x = Compressed<T, Index>::numbers(a.extents.inner * columns, 2);
        const std::vector<T> wrong(a.extents.rows * columns, T(77));
        const auto y = tensorOf(wrong);
        SparseOptions options;
        options.method = method;
        const auto offsets = tensorOf(a.offsets);
        const auto indices = tensorOf(a.indices);
        const auto values = tensorOf(a.values);
        const auto dense = tensorOf(x);
        manager.sequence()
            ->record<kp::OpSyncDevice>({offsets, indices, values, dense, y})
            ->template record<kp::OpSparseMatMul>(offsets, indices, values, dense, y, a.extents,
                                                  options)
            ->eval();
        const auto* const found = static_cast<const T*>(y->rawData());
        constexpr double kUnit = sizeof(T) == 4 || sizeof(T) == 8 ? 1e-6 : 1e-14;
        for (size_t row = 0; row < a.extents.rows; ++row)
            for (size_t column = 0; column < columns; ++column) {
                std::complex<double> sum = 0;
                double scale = 1;
                for (auto i = a.offsets[row]; i < a.offsets[row + 1]; ++i) {
                    const auto at = static_cast<size_t>(i);
                    const auto from = static_cast<size_t>(a.indices[at]) * columns + column;
                    const auto product =
                        std::complex<double>(a.values[at]) * std::complex<double>(x[from]);
                    sum += product;
                    scale += std::abs(product);
                }
                const std::complex<double> value(found[row * columns + column]);
                ASSERT_LE(std::abs(value - sum), 4 * kUnit * scale)
                    << "row " << row << ", column " << column << ": " << value << ", not " << sum;
            }
    }

    template <typename T>
    void expectProducts() {
        for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced}) {
            for (const size_t length : {1, 3, 17, 40})
                expectProduct(Compressed<T, int32_t>(evenRows(301, length), 97), 1, method);
            expectProduct(Compressed<T, uint32_t>(skewedRows(1000, 9000), 500), 1, method);
        }
        for (const uint64_t columns : {2, 5, 33, 200})
            expectProduct(Compressed<T, int32_t>(skewedRows(100, 700), 50), columns,
                          SparseMethod::eAutomatic);
    }

    bool hasDoubles() { return deviceOf(manager)->has(kp::vulkan::Feature::eShaderFloat64); }
};

TEST_F(SparseMatMulTest, MultipliesFloats) {
    expectProducts<float>();
}

TEST_F(SparseMatMulTest, MultipliesDoubles) {
    expectProducts<double>();
}

TEST_F(SparseMatMulTest, MultipliesComplexNumbers) {
    expectProducts<std::complex<float>>();
    expectProducts<std::complex<double>>();
}

TEST_F(SparseMatMulTest, TakesIndicesOf64Bits) {
    for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced})
        expectProduct(Compressed<float, int64_t>(skewedRows(700, 3000), 400), 1, method);
    expectProduct(Compressed<float, uint64_t>(skewedRows(70, 300), 40), 3,
                  SparseMethod::eAutomatic);
}

TEST_F(SparseMatMulTest, WritesRowsWithoutElements) {
    std::vector<size_t> lengths(5000, 0);
    lengths[4000] = 3;
    for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced})
        for (const uint64_t columns : {1, 4})
            expectProduct(Compressed<float, int32_t>(lengths, 10), columns, method);
    const auto offsets = tensorOf<int32_t>({0, 0, 0});
    const auto some = tensorOf<int32_t>({1});
    const auto x = tensorOf<float>({1, 2});
    const auto y = tensorOf<float>({7, 7});
    manager.sequence()
        ->record<kp::OpSyncDevice>({offsets, some, x, y})
        ->record<kp::OpSparseMatMul>(offsets, TensorRange(some, 0, 0), TensorRange(x, 0, 0), x, y,
                                     SparseExtents{2, 2, 1})
        ->eval();
    EXPECT_EQ(y->vector<float>(), (std::vector<float>{0, 0}));
}

TEST_F(SparseMatMulTest, AddsTheCarriesOfARowThatSpansManyTiles) {
    for (const uint64_t columns : {1, 3}) {
        expectProduct(Compressed<float, int32_t>({100'000}, 1000), columns,
                      SparseMethod::eBalanced);
        expectProduct(Compressed<float, int32_t>({0, 50'000, 0, 50'000, 1}, 1000), columns,
                      SparseMethod::eBalanced);
    }
}

TEST_F(SparseMatMulTest, CountsElementsWithWrongIndicesAsZero) {
    for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced})
        for (const uint64_t columns : {1, 2}) {
            const auto offsets = tensorOf<int32_t>({0, 3, 4});
            const auto indices = tensorOf<int32_t>({0, 5, -1, 1});
            const auto values = tensorOf<float>({1, 10, 100, 1000});
            const auto x = tensorOf(std::vector<float>(2 * columns, 1));
            const auto y = tensorOf(std::vector<float>(2 * columns, 7));
            SparseOptions options;
            options.method = method;
            manager.sequence()
                ->record<kp::OpSyncDevice>({offsets, indices, values, x, y})
                ->record<kp::OpSparseMatMul>(offsets, indices, values, x, y,
                                             SparseExtents{2, 2, columns}, options)
                ->eval();
            EXPECT_EQ(y->vector<float>()[0], 1);
            EXPECT_EQ(y->vector<float>()[columns], 1000);
        }
}

TEST_F(SparseMatMulTest, StaysInBoundsWhateverTheOffsetsAre) {
    const auto offsets = tensorOf<int32_t>({5, -3, 2'000'000'000, 1, 0, 9});
    const auto indices = tensorOf<int32_t>({0, 1, 2, 3});
    const auto values = tensorOf<float>({1, 1, 1, 1});
    const auto x = tensorOf<float>({1, 1, 1, 1});
    const auto memory = tensorOf(std::vector<float>(100, 7));
    for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced}) {
        SparseOptions options;
        options.method = method;
        manager.sequence()
            ->record<kp::OpSyncDevice>({offsets, indices, values, x, memory})
            ->record<kp::OpSparseMatMul>(offsets, indices, values, x, TensorRange(memory, 10, 5),
                                         SparseExtents{5, 4, 1}, options)
            ->eval();
        const std::vector<float> found = memory->vector<float>();
        for (size_t i = 0; i < found.size(); ++i)
            ASSERT_TRUE(found[i] == 7 || (i >= 10 && i < 15)) << i << ": " << found[i];
    }
}

TEST_F(SparseMatMulTest, ReadsPartsOfTensors) {
    const auto offsets = tensorOf<int32_t>({9, 0, 1, 3});
    const auto indices = tensorOf<int32_t>({9, 9, 9, 1, 0, 1});
    const auto values = tensorOf<float>({9, 1, 2, 3});
    const auto x = tensorOf<float>({9, 9, 10, 100});
    const auto y = tensorOf<float>({7, 7, 7, 7});
    manager.sequence()
        ->record<kp::OpSyncDevice>({offsets, indices, values, x, y})
        ->record<kp::OpSparseMatMul>(TensorRange(offsets, 1), TensorRange(indices, 3),
                                     TensorRange(values, 1), TensorRange(x, 2),
                                     TensorRange(y, 1, 2), SparseExtents{2, 2, 1})
        ->eval();
    EXPECT_EQ(y->vector<float>(), (std::vector<float>{7, 100, 320, 7}));
}

TEST_F(SparseMatMulTest, NamesWhatDoesNotFit) {
    const auto offsets = tensorOf<int32_t>({0, 1, 2});
    const auto indices = tensorOf<int32_t>({0, 1});
    const auto values = tensorOf<float>({1, 2});
    const auto x = tensorOf<float>({1, 2});
    const auto y = tensorOf<float>({1, 2});
    const auto make = [&](const TensorRange& o, const TensorRange& i, const TensorRange& v,
                          const TensorRange& in, const TensorRange& out) {
        kp::OpSparseMatMul made(o, i, v, in, out, SparseExtents{2, 2, 1});
    };
    EXPECT_ERROR(kp::InvalidArgument, "the offsets", make(values, indices, values, x, y));
    EXPECT_ERROR(kp::InvalidArgument, "must have 3 elements, one more than rows, but 2",
                 make(indices, indices, values, x, y));
    EXPECT_ERROR(kp::InvalidArgument, "must have the same type",
                 make(offsets, indices, indices, x, y));
    EXPECT_ERROR(kp::InvalidArgument, "overlap", make(offsets, indices, values, x, x));
    EXPECT_ERROR(kp::InvalidArgument, "complex numbers",
                 make(offsets, indices, indices, indices, tensorOf<int32_t>({1, 2})));
}

TEST_F(SparseMatMulTest, SharesRowsAmongInvocationsWithAndWithoutSubgroups) {
    const Compressed<float, int32_t> a(evenRows(301, 40), 97);
    const std::vector<float> x = randomValues<float>(97, 2);
    kp::primitives::SparseProblem problem;
    problem.rows = 301;
    problem.inner = 97;
    problem.nonzeros = a.indices.size();
    for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced})
        for (const bool subgroups : {false, true}) {
            kp::primitives::DeviceTraits traits = traitsOf(manager);
            traits.isCpu = false; // which gives a row to one invocation
            traits.subgroups = traits.subgroups && subgroups;
            problem.method = method;
            const auto offsets = tensorOf(a.offsets);
            const auto indices = tensorOf(a.indices);
            const auto values = tensorOf(a.values);
            const auto dense = tensorOf(x);
            const auto y = tensorOf(std::vector<float>(301, 7));
            manager.sequence()
                ->record<kp::OpSyncDevice>({offsets, indices, values, dense, y})
                ->record(plannedOperation(kp::primitives::planSparse(problem, traits),
                                          {offsets, indices, values, dense, y}))
                ->eval();
            for (size_t row = 0; row < 301; ++row) {
                double sum = 0;
                for (size_t i = 40 * row; i < 40 * (row + 1); ++i)
                    sum += double{a.values[i]} * double{x[static_cast<size_t>(a.indices[i])]};
                ASSERT_NEAR(y->vector<float>()[row], sum, 1e-4) << row;
            }
        }
}

TEST_F(SparseMatMulTest, BalancesRowsOfVeryDifferentLengths) {
    kp::primitives::SparseProblem problem;
    problem.rows = 1'000'000;
    problem.nonzeros = 5'000'000;
    EXPECT_EQ(kp::primitives::sparseMethod(problem, 5), SparseMethod::eRows);
    EXPECT_EQ(kp::primitives::sparseMethod(problem, 100'000), SparseMethod::eBalanced);
    EXPECT_EQ(kp::primitives::sparseMethod(problem, 0), SparseMethod::eBalanced);
}

} // namespace
} // namespace kp::test
