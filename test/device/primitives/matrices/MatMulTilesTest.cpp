// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/matrices/MatMulSupport.hpp"

namespace kp::test {
namespace {

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
            for (const MatrixExtents& extents : casesInTurn<MatrixExtents>(
                     manager, {{64, 32, 32}, {36, 68, 20}, {33, 35, 37}, {63, 34, 50}}, 4)) {
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
    for (const MatrixExtents& extents : casesInTurn<MatrixExtents>(
             manager, {{64, 32, 96}, {64, 32, 40}, {36, 68, 21}, {33, 20, 7}}, 4)) {
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

} // namespace
} // namespace kp::test
