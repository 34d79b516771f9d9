// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/matrices/MatMulSupport.hpp"

namespace kp::test {
namespace {

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
