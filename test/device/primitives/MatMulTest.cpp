// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>
#include <type_traits>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/matrices/MatMulPlan.hpp"

namespace kp::test {
namespace {

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

MatMulOptions transposed(bool a, bool b) {
    MatMulOptions options;
    options.transposeA = a;
    options.transposeB = b;
    return options;
}

TEST_F(MatMulTest, MultipliesMatricesOfAnySize) {
    for (const bool transposeA : {false, true})
        for (const bool transposeB : {false, true})
            for (const MatrixExtents& extents : {MatrixExtents{1, 1, 1},
                                                 {2, 3, 5},
                                                 {4, 4, 4},
                                                 {31, 37, 41},
                                                 {64, 60, 100},
                                                 {130, 3, 7},
                                                 {1, 130, 67},
                                                 {68, 1, 300}}) {
                SCOPED_TRACE(::testing::PrintToString(
                                 std::array{extents.rows, extents.columns, extents.inner}) +
                             (transposeA ? " A'" : "") + (transposeB ? " B'" : ""));
                expectProduct<float, float>(extents, transposed(transposeA, transposeB));
            }
}

TEST_F(MatMulTest, EmptyProductsAreZeroOrNothing) {
    expectProduct<float, float>({0, 4, 4});
    expectProduct<float, float>({4, 0, 4});
    expectProduct<float, float>({4, 5, 0});
    expectProduct<float, float>({1, 5, 0});
    MatMulOptions options;
    options.beta = 2;
    options.batches = 3;
    expectProduct<float, float>({4, 5, 0}, options);
    options.batches = 0;
    expectProduct<float, float>({4, 5, 6}, options);
}

TEST_F(MatMulTest, MultipliesEveryType) {
    MatMulOptions options;
    options.alpha = -2;
    options.beta = 3;
    for (const MatrixExtents& extents : {MatrixExtents{36, 44, 50}, {1, 33, 60}}) {
        expectProduct<double, double>(extents, options);
        expectProduct<kp::Half, kp::Half>(extents, options);
        expectProduct<kp::Half, float>(extents, options);
        expectProduct<kp::BFloat16, kp::BFloat16>(extents, options);
        expectProduct<kp::BFloat16, float>(extents, options);
        expectProduct<int8_t, int32_t>(extents, options);
    }
    expectProduct<int32_t, int32_t>({20, 33, 18}, options);
    expectProduct<int16_t, int32_t>({20, 33, 18}, options);
    expectProduct<int64_t, int64_t>({20, 33, 18}, options);
    expectProduct<uint8_t, uint32_t>({20, 20, 20});
    expectProduct<uint64_t, uint64_t>({20, 20, 20}, transposed(true, true));
    expectProduct<uint16_t, uint16_t>({9, 9, 9});
}

TEST_F(MatMulTest, EveryTileGivesTheProduct) {
    using kp::primitives::MatMulChoice;
    const auto device = traitsOf(manager);
    const kp::primitives::MatMulProblem problem;
    for (const kp::primitives::MatMulTile tile : {kp::primitives::MatMulTile{128, 128, 8, 8, 8},
                                                  {64, 64, 16, 8, 4},
                                                  {64, 64, 8, 8, 4},
                                                  {128, 32, 16, 8, 4},
                                                  {32, 128, 16, 4, 8},
                                                  {32, 32, 16, 4, 4},
                                                  {32, 32, 8, 4, 4},
                                                  {128, 128, 16, 8, 8}}) {
        if (tile.sharedBytes(problem) > device.sharedBytes ||
            tile.threads(device) > device.maxGroupSize)
            continue;
        const MatMulChoice choice{tile, 1};
        const bool isDeep = tile.depth == 16;
        expectProduct<float, float>({132, 140, 44}, transposed(!isDeep, isDeep), &choice);
    }
}

TEST_F(MatMulTest, TilesAtEdgesAreMovedInside) {
    using kp::primitives::MatMulChoice;
    const MatMulChoice small{{32, 32, 16, 4, 4}, 1};
    const MatMulChoice sliced{{32, 32, 8, 4, 4}, 3};
    MatMulOptions options;
    options.alpha = -2;
    options.beta = 3; // what two tiles compute must be added once
    options.batches = 2;
    for (const bool transposeA : {false, true})
        for (const bool transposeB : {false, true}) {
            options.transposeA = transposeA;
            options.transposeB = transposeB;
            // Whole tiles, rows at multiples of 16 bytes, and others.
            for (const MatrixExtents& extents :
                 {MatrixExtents{64, 32, 32}, {36, 68, 20}, {33, 35, 37}, {63, 34, 50}}) {
                SCOPED_TRACE(::testing::PrintToString(
                    std::array{extents.rows, extents.columns, extents.inner}));
                expectProduct<float, float>(extents, options, &small);
                expectProduct<float, float>(extents, options, &sliced);
            }
            expectProduct<int8_t, int32_t>({33, 36, 35}, options, &small);
            expectProduct<double, double>({34, 33, 35}, options, &small);
            expectProduct<kp::Half, kp::Half>({33, 34, 50}, options, &small, 3);
            // Rows at multiples of 16 bytes, whose length is none.
            MatMulOptions strided = options;
            strided.strideA = strided.strideB = strided.strideC = 68;
            expectProduct<float, float>({35, 33, 37}, strided, &small);
        }
    hasBias = true;
    for (biasOfRows = false;; biasOfRows = true) {
        expectProduct<float, float>({35, 45, 17}, {}, &small);
        if (biasOfRows)
            break;
    }
}

TEST_F(MatMulTest, StepsOfGpusReadAhead) {
    traits = traitsOf(manager);
    traits->isCpu = false;
    const kp::primitives::MatMulChoice whole{{32, 32, 8, 4, 4}, 1};
    const kp::primitives::MatMulChoice sliced{{32, 32, 8, 4, 4}, 3};
    const kp::primitives::MatMulChoice deep{{32, 32, 16, 4, 4}, 2};
    // Even and odd numbers of whole tiles, tiles that are moved inside, and less than a tile.
    for (const MatrixExtents& extents :
         {MatrixExtents{64, 32, 96}, {64, 32, 40}, {36, 68, 21}, {33, 20, 7}}) {
        SCOPED_TRACE(
            ::testing::PrintToString(std::array{extents.rows, extents.columns, extents.inner}));
        expectProduct<float, float>(extents, transposed(false, true), &whole);
        expectProduct<double, double>(extents, transposed(true, false), &sliced);
        expectProduct<float, float>(extents, transposed(true, true), &deep);
    }
}

TEST_F(MatMulTest, TilesOfManyRegistersGiveTheProduct) {
    using kp::primitives::MatMulChoice;
    const auto device = traitsOf(manager);
    for (const kp::primitives::MatMulTile& tile :
         {kp::primitives::MatMulTile{128, 128, 8, 8, 16}, {128, 256, 8, 8, 16}}) {
        const MatMulChoice whole{tile, 1};
        const MatMulChoice sliced{tile, 2};
        if (tile.sharedBytes({}) > device.sharedBytes || tile.threads(device) > device.maxGroupSize)
            GTEST_SKIP() << "the device has too little shared memory";
        const uint64_t n = tile.columns;
        expectProduct<float, float>({128, n, 16}, transposed(false, false), &whole);
        expectProduct<float, float>({132, n + 4, 20}, transposed(true, true), &whole);
        expectProduct<float, float>({129, n + 1, 35}, transposed(true, false), &sliced);
        expectProduct<float, float>({20, n, 7}, transposed(false, true), &whole);
    }
}

TEST_F(MatMulTest, ProductsOfBytesAreExact) {
    const MatrixExtents extents{3, 2, 70000};
    const auto a = manager.tensorT<int8_t>(std::vector<int8_t>(3 * 70000, -128));
    std::vector<int8_t> factors(2 * 70000, -128);
    for (size_t i = 0; i < factors.size(); i += 2)
        factors[i] = static_cast<int8_t>(127 - static_cast<int>(i % 3));
    const auto b = manager.tensorT<int8_t>(factors);
    const auto c = manager.tensorT<int32_t>(3 * 2);
    manager.sequence()
        ->record<kp::OpSyncDevice>({a, b})
        ->record<kp::OpMatMul>(a, b, c, extents)
        ->eval();
    int32_t sum = 0;
    for (size_t i = 0; i < factors.size(); i += 2)
        sum += -128 * factors[i];
    const int32_t squares = 70000 * 128 * 128; // beyond the integers that float can hold
    EXPECT_EQ(c->vector(), (std::vector<int32_t>{sum, squares, sum, squares, sum, squares}));
}

/// A driver takes a third of a second for each kernel, so each tile is a test.
class CooperativeMatMulTest : public MatMulTest,
                              public ::testing::WithParamInterface<kp::primitives::MatMulTile> {
protected:
    template <typename In>
    void expectProducts() {
        kp::primitives::MatMulProblem problem;
        problem.in = std::is_same_v<In, kp::Half> ? kp::Memory::DataTypes::eHalf
                                                  : kp::Memory::DataTypes::eBFloat16;
        const kp::primitives::MatMulChoice choice{GetParam(), 1};
        if (!fits(choice.tile, problem, traitsOf(manager)))
            GTEST_SKIP() << "the device has no cooperative matrices for this tile";
        for (const bool transpose : {false, true}) {
            expectProduct<In, float>({128, 256, 128}, transposed(transpose, false), &choice);
            MatMulOptions options = transposed(transpose, !transpose);
            expectProduct<In, float>({131, 77, 101}, options, &choice);
            options.alpha = -2;
            options.beta = 3;
            options.batches = 2;
            expectProduct<In, In>({136, 72, 104}, options, &choice);
            expectProduct<In, float>({128, 128, 64}, options, &choice, 8);
            biasOfRows = transpose;
            hasBias = true;
            expectProduct<In, float>({40, 140, 65}, transposed(transpose, transpose), &choice, 3);
            hasBias = false;
        }
        MatMulOptions strided;
        strided.strideA = 216;
        strided.strideB = 152;
        strided.strideC = 148;
        strided.batches = 3;
        strided.batchStrideB = 0;
        expectProduct<In, float>({130, 140, 210}, strided, &choice);
        const kp::primitives::MatMulChoice sliced{choice.tile, 3};
        expectProduct<In, In>({130, 140, 500}, {}, &sliced);
    }
};

TEST_P(CooperativeMatMulTest, GivesTheProductOfHalves) {
    expectProducts<kp::Half>();
}

TEST_P(CooperativeMatMulTest, GivesTheProductOfBFloat16) {
    expectProducts<kp::BFloat16>();
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, CooperativeMatMulTest,
    ::testing::Values(
        kp::primitives::MatMulTile{128, 128, 64, 8, 16, kp::primitives::MatMulMethod::eWorkgroups},
        kp::primitives::MatMulTile{64, 64, 64, 4, 8, kp::primitives::MatMulMethod::eWorkgroups},
        kp::primitives::MatMulTile{128, 128, 64, 64, 64, kp::primitives::MatMulMethod::eSubgroups},
        kp::primitives::MatMulTile{128, 128, 32, 64, 64, kp::primitives::MatMulMethod::eSubgroups,
                                   4},
        kp::primitives::MatMulTile{64, 64, 64, 32, 32, kp::primitives::MatMulMethod::eSubgroups}),
    [](const auto& info) { return "Tile" + std::to_string(info.index); });

TEST_F(MatMulTest, EpiloguesRunOnCooperativeProducts) {
    const auto device = traitsOf(manager);
    if (device.cooperative.shapes.empty())
        GTEST_SKIP() << "the device has no cooperative matrices of half or bfloat16";
    constexpr uint64_t kSize = 512;
    const auto a = manager.tensorT<kp::Half>(std::vector<kp::Half>(kSize * kSize, kp::Half(1)));
    const auto b = manager.tensorT<kp::Half>(std::vector<kp::Half>(kSize * kSize, kp::Half(0.5f)));
    const auto c = manager.tensorT<float>(kSize * kSize);
    MatMulOptions options;
    options.epilogue = "min(c, 200.0 + float(column))";
    manager.sequence()
        ->record<kp::OpSyncDevice>({a, b})
        ->record<kp::OpMatMul>(a, b, c, MatrixExtents{kSize, kSize, kSize}, options)
        ->eval();
    for (uint64_t i = 0; i < kSize * kSize; ++i)
        ASSERT_EQ(c->data()[i], std::min(256.0f, 200.0f + static_cast<float>(i % kSize)));
}

TEST_F(MatMulTest, SlicesAddUp) {
    for (const uint64_t slices : {2, 3, 7}) {
        const kp::primitives::MatMulChoice choice{{32, 32, 16, 4, 4}, slices};
        MatMulOptions options;
        options.beta = 0.5;
        options.batches = 2;
        expectProduct<float, float>({33, 40, 100}, options, &choice);
        expectProduct<kp::Half, kp::Half>({33, 40, 100}, options, &choice);
    }
    expectProduct<float, float>({3, 4, 20000});
    expectProduct<float, float>({1, 4, 20000});
    expectProduct<float, float>({4, 1, 20000}, transposed(true, false));
    expectProduct<double, double>({1, 1, 30000});
}

TEST_F(MatMulTest, FollowsStridesAndBatches) {
    MatMulOptions options;
    options.strideA = 23;
    options.strideB = 41;
    options.strideC = 52;
    options.batches = 3;
    options.batchStrideA = 23 * 40;
    options.batchStrideB = 0; // the same B for all
    options.batchStrideC = 52 * 37;
    options.beta = 1;
    expectProduct<float, float>({35, 39, 21}, options);
    expectProduct<float, float>({35, 39, 21}, options, nullptr, 3);
    options.strideA = 24;
    options.strideB = 44;
    options.batchStrideA = 24 * 40;
    expectProduct<float, float>({35, 39, 21}, options);
    expectProduct<float, float>({35, 39, 21}, options, nullptr, 4);
    expectProduct<kp::Half, kp::Half>({35, 39, 21}, options, nullptr, 4);
    expectProduct<double, double>({35, 39, 21}, options, nullptr, 2);
    MatMulOptions interleaved;
    interleaved.batches = 4;
    interleaved.strideC = 4 * 9;
    interleaved.batchStrideC = 9;
    expectProduct<float, float>({20, 9, 12}, interleaved);
    // A column of a matrix, and one of a row.
    MatMulOptions vector;
    vector.strideB = 7;
    vector.strideC = 5;
    vector.batches = 2;
    expectProduct<float, float>({40, 1, 50}, vector);
    MatMulOptions row = transposed(true, true);
    row.strideA = 3;
    expectProduct<float, float>({1, 45, 50}, row);
}

TEST_F(MatMulTest, CutsProductsThatNoViewCanHold) {
    traits = traitsOf(manager);
    for (const uint64_t bytes : {1024, 4096}) {
        traits->maxViewBytes = bytes;
        for (const bool transposeA : {false, true})
            for (const bool transposeB : {false, true}) {
                MatMulOptions options = transposed(transposeA, transposeB);
                options.beta = 2;
                options.batches = 2;
                expectProduct<float, float>({30, 50, 70}, options);
                expectProduct<kp::Half, float>({1, 300, 40}, options);
                expectProduct<float, float>({7, 3, 700}, options);
            }
    }
}

TEST_F(MatMulTest, EpilogueSeesValuePlaceAndBias) {
    const auto a = manager.tensorT<float>({1, 2, 3, 4});
    const auto b = manager.tensorT<float>({1, 0, 0, 1, 1, -9});
    const auto c = manager.tensorT<float>(2 * 3);
    const auto bias = manager.tensorT<float>({10, 20, 30});
    const auto run = [&](const MatMulOptions& options) {
        manager.sequence()
            ->record<kp::OpSyncDevice>({a, b, bias})
            ->record<kp::OpMatMul>(a, b, c, MatrixExtents{2, 3, 2}, options)
            ->eval();
        return c->vector();
    };
    // B is (1, 0, 0), (1, 1, -9).
    EXPECT_EQ(run({}), (std::vector<float>{3, 2, -18, 7, 4, -36}));
    MatMulOptions options;
    options.bias = bias;
    EXPECT_EQ(run(options), (std::vector<float>{13, 22, 12, 17, 24, -6}));
    options.epilogue = "max(c + bias, 0.0)";
    EXPECT_EQ(run(options), (std::vector<float>{13, 22, 12, 17, 24, 0}));
    options.epilogue = "c * 100.0 + float(10u * row + column)";
    EXPECT_EQ(run(options), (std::vector<float>{300, 201, -1798, 710, 411, -3588}));
    options.epilogue = "c + bias";
    options.biasOfRows = true;
    options.bias = TensorRange(bias, 1, 2);
    EXPECT_EQ(run(options), (std::vector<float>{23, 22, 2, 37, 34, -6}));
    options.epilogue = "c +\n nothing";
    EXPECT_ERROR(kp::ShaderError, "epilogue:2", run(options));
}

TEST_F(MatMulTest, DoesNotReadTheOldResultUnlessAsked) {
    const auto a = manager.tensorT<float>({1, 2, 3, 4});
    const auto c = manager.tensorT<float>(std::vector<float>(4, NAN));
    manager.sequence()
        ->record<kp::OpSyncDevice>({a, c})
        ->record<kp::OpMatMul>(a, a, c, MatrixExtents{2, 2, 2})
        ->eval();
    EXPECT_EQ(c->vector(), (std::vector<float>{7, 10, 15, 22}));
}

TEST_F(MatMulTest, RunsAgainAmongOtherWork) {
    const auto a = manager.tensorT<float>(std::vector<float>(40 * 40, 1));
    const auto b = manager.tensorT<float>(40 * 40);
    const auto c = manager.tensorT<float>(40 * 40);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({a});
    sequence->record<kp::OpMatMul>(a, a, b, MatrixExtents{40, 40, 40});
    sequence->record<kp::OpMatMul>(b, a, c, MatrixExtents{40, 40, 40});
    for (const float x : {1.f, 2.f}) {
        std::fill_n(a->data(), 1600, x);
        sequence->eval();
        EXPECT_EQ(c->vector(), std::vector<float>(1600, 1600 * x * x * x));
    }
}

TEST_F(MatMulTest, RefusesArgumentsThatDoNotMatch) {
    const auto six = manager.tensorT<float>(6);
    const auto four = manager.tensorT<float>(4);
    const auto result = manager.tensorT<float>(9);
    const auto integers = manager.tensorT<int32_t>(6);
    const auto expect = [&](const char* message, const TensorRange& a, const TensorRange& b,
                            const TensorRange& c, const MatMulOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message,
                     kp::OpMatMul(a, b, c, MatrixExtents{3, 3, 2}, options));
    };
    expect("A is null", {}, six, result);
    expect("A is 1 matrices of 3 x 2 in 6 elements, but 4 were given", four, six, result);
    expect("B is 1 matrices of 2 x 3 in 6 elements, but 4 were given", six, four, result);
    expect("C is 1 matrices of 3 x 3 in 9 elements, but 4 were given", six, six, four);
    expect("overlap", six, TensorRange(result, 0, 6), result);
    expect("A is of eFloat and B of eInt", six, integers, result);
    expect("C is of eInt, but products of eFloat need eFloat", six, six, integers);
    MatMulOptions options;
    options.strideA = 1;
    expect("the rows of A have 2 elements, but begin only 1 elements apart", six, six, result,
           options);
    options = {};
    options.batches = 2;
    options.batchStrideA = options.batchStrideB = options.batchStrideC = 0;
    expect("the 2 matrices C overlap: each spans 9 elements, but they begin only 0 apart", six, six,
           result, options);
    options = {};
    options.bias = four;
    expect("C has 3 columns, but the bias has 4 elements", six, six, result, options);
    options.bias = integers;
    expect("the bias is of eInt, but must be of C's type eFloat", six, six, result, options);
    options = {};
    options.batchStrideA = UINT64_MAX;
    options.batches = 3;
    expect("A has more than 2^64 elements", six, six, result, options);
    const auto whole = manager.tensorT<int32_t>(9);
    options = {};
    options.alpha = 0.5;
    EXPECT_ERROR(kp::InvalidArgument, "must be whole numbers",
                 kp::OpMatMul(integers, integers, whole, MatrixExtents{3, 3, 2}, options));
    EXPECT_ERROR(kp::InvalidArgument, "an extent is 4294967296",
                 kp::OpMatMul(six, six, result, MatrixExtents{uint64_t{1} << 32, 3, 2}));
}

} // namespace
} // namespace kp::test
