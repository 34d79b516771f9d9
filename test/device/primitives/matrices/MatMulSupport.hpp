// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <type_traits>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/matrices/MatMulPlan.hpp"

namespace kp::test {

using kp::MatMulOptions;
using kp::MatrixExtents;
using kp::TensorRange;

template <typename T>
double number(T value) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(value);
    else
        return static_cast<double>(static_cast<float>(value));
}

/// Small integers, so that integer products do not depend on the order; else as randomValues().
template <typename T>
std::vector<T> matrixValues(size_t count, uint64_t seed) {
    std::vector<T> values = randomValues<T>(count, seed);
    if constexpr (std::is_integral_v<T>)
        for (T& value : values)
            value = static_cast<T>(value % 11);
    return values;
}

class MatMulTest : public DeviceTest {
protected:
    static constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

    /// Where a matrix is in a tensor.
    struct Layout {
        uint64_t stride;
        uint64_t batchStride;
        bool transposed;
        uint64_t at(uint64_t batch, uint64_t row, uint64_t column) const {
            return batch * batchStride +
                   (transposed ? column * stride + row : row * stride + column);
        }
    };

    /// Multiplies on the device and with a loop in double, and compares within the stated bound.
    /// @param u  half a unit in the last place of sums, and of results
    template <typename In, typename Out>
    void expectProduct(const MatrixExtents& extents, const MatMulOptions& given = {},
                       const kp::primitives::MatMulChoice* choice = nullptr, uint64_t first = 0) {
        MatMulOptions options = given;
        const auto [m, n, k] = extents;
        const uint64_t batches = options.batches;
        const auto layout = [&](uint64_t rows, uint64_t columns, std::optional<uint64_t>& stride,
                                std::optional<uint64_t>& batchStride, bool transposed) {
            const uint64_t lines = transposed ? columns : rows;
            const uint64_t length = transposed ? rows : columns;
            const uint64_t step = stride.value_or(length);
            const uint64_t span = lines == 0 ? 0 : (lines - 1) * step + length;
            return Layout{step, batchStride.value_or(span), transposed};
        };
        const Layout a = layout(m, k, options.strideA, options.batchStrideA, options.transposeA);
        const Layout b = layout(k, n, options.strideB, options.batchStrideB, options.transposeB);
        const Layout c = layout(m, n, options.strideC, options.batchStrideC, false);
        const auto sizeOf = [&](const Layout& l, uint64_t rows, uint64_t columns) {
            return rows * columns * batches == 0 ? uint64_t{0}
                                                 : l.at(batches - 1, rows - 1, columns - 1) + 1;
        };
        const auto valuesA = matrixValues<In>(std::max<uint64_t>(1, first + sizeOf(a, m, k)), 1);
        const auto valuesB = matrixValues<In>(std::max<uint64_t>(1, first + sizeOf(b, k, n)), 2);
        const auto valuesC = matrixValues<Out>(std::max<uint64_t>(1, first + sizeOf(c, m, n)), 3);
        const auto tensorA = manager.tensorT<In>(valuesA, kStorage);
        const auto tensorB = manager.tensorT<In>(valuesB, kStorage);
        const auto tensorC = manager.tensorT<Out>(valuesC);
        auto sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({tensorC});
        const TensorRange rangeA(tensorA, first);
        const TensorRange rangeB(tensorB, first);
        const TensorRange rangeC(tensorC, first);
        const auto valuesBias = matrixValues<Out>(biasOfRows ? m : std::max<uint64_t>(1, n), 4);
        const auto bias = manager.tensorT<Out>(hasBias ? valuesBias : std::vector<Out>(1));
        sequence->record<kp::OpSyncDevice>({bias});
        if (hasBias)
            options.bias = bias;
        options.biasOfRows = hasBias && biasOfRows;
        if (choice || traits) {
            kp::primitives::MatMulProblem problem;
            problem.in = tensorA->dataType();
            problem.out = tensorC->dataType();
            problem.rows = m;
            problem.columns = n;
            problem.inner = k;
            problem.batches = batches;
            problem.transposeA = options.transposeA;
            problem.transposeB = options.transposeB;
            problem.a = {a.stride, a.batchStride,
                         static_cast<uint32_t>(std::gcd(first, uint64_t{8}))};
            problem.b = {b.stride, b.batchStride,
                         static_cast<uint32_t>(std::gcd(first, uint64_t{8}))};
            problem.c = {c.stride, c.batchStride,
                         static_cast<uint32_t>(std::gcd(first, uint64_t{8}))};
            problem.alpha = options.alpha;
            problem.beta = options.beta;
            problem.epilogue = options.epilogue;
            problem.hasBias = hasBias;
            problem.biasOfRows = options.biasOfRows;
            const kp::primitives::DeviceTraits used = traits ? *traits : traitsOf(manager);
            std::vector<TensorRange> ranges = {rangeA, rangeB, rangeC};
            if (hasBias)
                ranges.emplace_back(bias);
            sequence->record(
                plannedOperation(kp::primitives::planMatMul(problem, used, choice), ranges));
        } else {
            sequence->record<kp::OpMatMul>(rangeA, rangeB, rangeC, extents, options);
        }
        sequence->eval();
        const double u = std::is_same_v<In, double> ? 0x1p-53 : 0x1p-24;
        const double rounding = std::is_same_v<Out, kp::Half>       ? 0x1p-10
                                : std::is_same_v<Out, kp::BFloat16> ? 0x1p-7
                                                                    : u;
        const bool isCooperative =
            !traitsOf(manager).cooperative.shapes.empty() &&
            (std::is_same_v<In, kp::Half> || std::is_same_v<In, kp::BFloat16>);
        const double sumErrors = isCooperative ? 4 : 1;
        std::vector<bool> isResult(valuesC.size());
        for (uint64_t batch = 0; batch < batches; ++batch)
            for (uint64_t row = 0; row < m; ++row)
                for (uint64_t column = 0; column < n; ++column) {
                    double sum = 0;
                    double magnitude = 0;
                    for (uint64_t i = 0; i < k; ++i) {
                        const double product = number(valuesA[first + a.at(batch, row, i)]) *
                                               number(valuesB[first + b.at(batch, i, column)]);
                        sum += product;
                        magnitude += std::abs(product);
                    }
                    const uint64_t at = first + c.at(batch, row, column);
                    isResult[at] = true;
                    const double old = number(valuesC[at]);
                    double exact = options.alpha * sum + options.beta * old;
                    if (hasBias)
                        exact += number(valuesBias[biasOfRows ? row : column]);
                    const double bound =
                        sumErrors * static_cast<double>(k + 3) * u *
                            (std::abs(options.alpha) * magnitude + std::abs(options.beta * old)) +
                        rounding * std::abs(exact);
                    const double result = number(tensorC->data()[at]);
                    if constexpr (std::is_integral_v<Out>) {
                        ASSERT_EQ(result, number(static_cast<Out>(static_cast<int64_t>(exact))))
                            << batch << " " << row << " " << column;
                    } else {
                        ASSERT_NEAR(result, exact, bound) << batch << " " << row << " " << column;
                    }
                }
        for (uint64_t i = 0; i < valuesC.size(); ++i)
            if (!isResult[i]) {
                ASSERT_EQ(std::memcmp(&tensorC->data()[i], &valuesC[i], sizeof(Out)), 0)
                    << "element " << i << " is not a result, but was changed";
            }
    }

    std::optional<kp::primitives::DeviceTraits> traits; ///< instead of the device's
    bool hasBias = false;
    bool biasOfRows = false;
};

inline MatMulOptions transposed(bool a, bool b) {
    MatMulOptions options;
    options.transposeA = a;
    options.transposeB = b;
    return options;
}

} // namespace kp::test
