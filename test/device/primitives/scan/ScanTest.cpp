// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/scan/ScanSupport.hpp"

namespace kp::test {
namespace {

TEST_F(ScanTest, ScansAnyNumberOfElements) {
    for (const size_t count : kSizes) {
        const auto values = randomValues<uint32_t>(count, count);
        EXPECT_EQ(scanned<uint32_t>(values, ReduceOperation::eSum),
                  scannedByLoop<uint32_t>(values, false, 0u, kPlus))
            << count;
    }
}

TEST_F(ScanTest, SumsIntegersOfEverySize) {
    expectSums<int8_t>();
    expectSums<uint8_t, uint32_t>();
    expectSums<int16_t, int64_t>();
    expectSums<uint16_t>();
    expectSums<int32_t>();
    expectSums<uint32_t, uint64_t>();
    expectSums<int64_t>();
    expectSums<uint64_t, uint8_t>();
}

TEST_F(ScanTest, SumsFloatingPointNumbers) {
    const auto expectNear = [](const auto& given, const std::vector<double>& exact,
                               double tolerance) {
        double worst = 0;
        for (size_t i = 0; i < exact.size(); ++i) {
            double value = 0;
            if constexpr (std::is_same_v<std::decay_t<decltype(given[i])>, double>)
                value = given[i];
            else
                value = static_cast<double>(static_cast<float>(given[i]));
            worst = std::max(worst, std::abs(value - exact[i]) / (1 + std::abs(exact[i])));
        }
        EXPECT_LE(worst, tolerance);
    };
    const auto values = randomValues<double>(50001);
    const std::vector<float> floats(values.begin(), values.end());
    const auto exact = scannedByLoop<double>(values, false, 0.0, kPlus);
    expectNear(scanned<double>(values, ReduceOperation::eSum), exact, 1e-13);
    expectNear(scanned<float>(floats, ReduceOperation::eSum), exact, 2e-5);
    expectNear(scanned<double>(floats, ReduceOperation::eSum),
               scannedByLoop<double>(floats, false, 0.0, kPlus), 1e-13);
    std::vector<kp::Half> halves(3000);
    std::vector<double> exactHalves(3000);
    for (size_t i = 0; i < halves.size(); ++i) {
        halves[i] = kp::Half(floats[i]);
        exactHalves[i] = static_cast<double>(static_cast<float>(halves[i]));
    }
    expectNear(scanned<kp::Half>(halves, ReduceOperation::eSum),
               scannedByLoop<double>(exactHalves, false, 0.0, kPlus), 1e-3);
    expectNear(scanned<float>(halves, ReduceOperation::eSum),
               scannedByLoop<double>(exactHalves, false, 0.0, kPlus), 1e-5);
}

TEST_F(ScanTest, TakesEveryOperator) {
    const auto values = randomValues<int32_t>(20000);
    const auto expect = [&](ReduceOperation operation, int32_t identity, const auto& combine) {
        EXPECT_EQ(scanned<int32_t>(values, operation, exclusively()),
                  scannedByLoop<int32_t>(values, true, identity, combine));
    };
    expect(ReduceOperation::eProduct, 1, [](int32_t a, int32_t b) {
        return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    });
    expect(ReduceOperation::eMinimum, std::numeric_limits<int32_t>::max(),
           [](int32_t a, int32_t b) { return std::min(a, b); });
    expect(ReduceOperation::eMaximum, std::numeric_limits<int32_t>::min(),
           [](int32_t a, int32_t b) { return std::max(a, b); });
    expect(ReduceOperation::eAnd, -1, [](int32_t a, int32_t b) { return a & b; });
    expect(ReduceOperation::eOr, 0, [](int32_t a, int32_t b) { return a | b; });
    expect(ReduceOperation::eXor, 0, [](int32_t a, int32_t b) { return a ^ b; });
}

// Function composition x -> p * x + q, packed into one number, is associative and not commutative.
TEST_F(ScanTest, KeepsTheOrderOfAnOperatorThatIsNotCommutative) {
    const kp::Operator compose("((a >> 16) * (b >> 16) << 16) | "
                               "(((b >> 16) * (a & 65535u) + (b & 65535u)) & 65535u)",
                               "65536u");
    std::vector<uint32_t> values = randomValues<uint32_t>(30000);
    const auto combine = [](uint32_t a, uint32_t b) {
        return ((a >> 16) * (b >> 16) << 16) | (((b >> 16) * (a & 65535u) + (b & 65535u)) & 65535u);
    };
    EXPECT_EQ(scanned<uint32_t>(values, compose),
              scannedByLoop<uint32_t>(values, false, 65536u, combine));
}

template <typename T>
void expectExtremesUpToNaN(const std::vector<T>& maxima, const std::vector<T>& minima,
                           const std::vector<T>& values, size_t nan) {
    T largest = -std::numeric_limits<T>::infinity();
    T smallest = std::numeric_limits<T>::infinity();
    for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(std::isnan(maxima[i]), i >= nan) << i;
        ASSERT_EQ(std::isnan(minima[i]), i >= nan) << i;
        if (i >= nan)
            continue;
        largest = std::max(largest, values[i]);
        smallest = std::min(smallest, values[i]);
        ASSERT_EQ(maxima[i], largest) << i;
        ASSERT_EQ(minima[i], smallest) << i;
    }
}

TEST_F(ScanTest, MinimumAndMaximumAreNaNFromTheFirstNaNOn) {
    const auto expectExtremes = [&]<typename T>(T nan) {
        auto values = randomValues<T>(10000);
        values[0] = -values[0];
        values[5000] = std::numeric_limits<T>::infinity();
        values[6000] = -std::numeric_limits<T>::infinity();
        values[7000] = nan;
        expectExtremesUpToNaN(scanned<T>(values, ReduceOperation::eMaximum),
                              scanned<T>(values, ReduceOperation::eMinimum), values, 7000);
    };
    for (const int sign : {1, -1}) {
        expectExtremes(std::copysign(std::numeric_limits<float>::quiet_NaN(), float(sign)));
        expectExtremes(std::copysign(std::numeric_limits<double>::quiet_NaN(), double(sign)));
    }
}

TEST_F(ScanTest, ScansAlongEveryAxis) {
    for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{1},
                                               {5000},
                                               {300, 7},
                                               {7, 300},
                                               {1, 5000},
                                               {5000, 1},
                                               {2, 20000},
                                               {20000, 2},
                                               {13, 5, 7},
                                               {2, 3000, 3},
                                               {40, 64, 64},
                                               {3, 4, 5, 6},
                                               {2, 1, 129, 257}}) {
        const uint64_t count =
            std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
        const auto values = randomValues<int32_t>(count, count);
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
            for (const bool exclusive : {false, true}) {
                const uint64_t length = shape[static_cast<size_t>(axis)];
                uint64_t inner = 1;
                for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i)
                    inner *= shape[i];
                std::vector<int32_t> expected(count);
                for (uint64_t line = 0; line < count / length; ++line) {
                    uint32_t sum = 0;
                    for (uint64_t i = 0; i < length; ++i) {
                        const uint64_t at = (line / inner * length + i) * inner + line % inner;
                        const uint32_t before = sum;
                        sum += static_cast<uint32_t>(values[at]);
                        expected[at] = static_cast<int32_t>(exclusive ? before : sum);
                    }
                }
                ScanOptions options;
                options.shape = shape;
                options.axis = axis;
                options.exclusive = exclusive;
                EXPECT_EQ(scanned<int32_t>(values, ReduceOperation::eSum, options), expected)
                    << "axis " << axis << " of " << ::testing::PrintToString(shape);
            }
    }
}

TEST_F(ScanTest, StartsAgainAtEveryOffset) {
    const auto values = randomValues<uint32_t>(50000);
    const auto expectSegments = [&]<typename Offset>(const std::vector<Offset>& offsets) {
        std::vector<bool> starts(values.size());
        for (const Offset offset : offsets)
            if (static_cast<uint64_t>(offset) < starts.size())
                starts[static_cast<size_t>(offset)] = true;
        for (const bool exclusive : {false, true}) {
            ScanOptions options;
            options.exclusive = exclusive;
            options.segments = manager.tensorT<Offset>(offsets, kStorage);
            EXPECT_EQ(scanned<uint32_t>(values, ReduceOperation::eSum, options),
                      scannedByLoop<uint32_t>(values, exclusive, 0u, kPlus,
                                              [&](size_t i) { return starts[i]; }));
        }
    };
    expectSegments(std::vector<uint32_t>{0, 0, 1, 5, 5, 31, 32, 33, 1000, 40000, 50000});
    expectSegments(std::vector<int64_t>{-5, 49999, 20, 1ll << 40});
    std::vector<uint64_t> many;
    for (uint64_t i = 0; i < 50000; i += 1 + i % 7)
        many.push_back(i);
    expectSegments(many);
}

TEST_F(ScanTest, WorksInPlace) {
    for (const size_t count : {10, 5000, 60000}) {
        const auto values = randomValues<uint32_t>(count);
        const auto tensor = manager.tensorT<uint32_t>(values, kStorage);
        manager.sequence()->eval<kp::OpScan>(tensor, tensor, ReduceOperation::eSum);
        EXPECT_EQ(onDevice<uint32_t>(*tensor), scannedByLoop<uint32_t>(values, false, 0u, kPlus));
    }
    const auto values = randomValues<uint32_t>(60000);
    const auto tensor = manager.tensorT<uint32_t>(values, kStorage);
    ScanOptions options;
    options.shape = {20, 1000, 3};
    options.axis = 1;
    manager.sequence()->eval<kp::OpScan>(tensor, tensor, ReduceOperation::eSum, options);
    EXPECT_EQ(onDevice<uint32_t>(*tensor),
              scanned<uint32_t>(values, ReduceOperation::eSum, options));
}

TEST_F(ScanTest, TakesPartsOfTensors) {
    for (const size_t first : {0, 1, 3, 8, 17})
        for (const size_t shift : {0, 1, 2})
            for (const size_t count : {1, 15, 1000, 20001}) {
                const auto values = randomValues<uint8_t>(first + count + 5);
                const auto in = manager.tensorT<uint8_t>(values, kStorage);
                const auto out = manager.tensorT<uint16_t>(
                    std::vector<uint16_t>(first + shift + count + 3, 7), kStorage);
                manager.sequence()->eval<kp::OpScan>(TensorRange(in, first, count),
                                                     TensorRange(out, first + shift, count),
                                                     ReduceOperation::eSum);
                std::vector<uint16_t> expected(first + shift + count + 3, 7);
                uint16_t sum = 0;
                for (size_t i = 0; i < count; ++i)
                    expected[first + shift + i] = sum =
                        static_cast<uint16_t>(sum + values[first + i]);
                EXPECT_EQ(onDevice<uint16_t>(*out), expected) << first << " " << count;
            }
}

TEST_F(ScanTest, OfNothingDoesNothing) {
    const auto in = manager.tensorT<float>({1, 2}, kStorage);
    const auto out = manager.tensorT<float>({5, 5}, kStorage);
    manager.sequence()->eval<kp::OpScan>(TensorRange(in, 2), TensorRange(out, 1, 0),
                                         ReduceOperation::eSum);
    ScanOptions options;
    options.shape = {4, 0, 3};
    options.axis = 1;
    manager.sequence()->eval<kp::OpScan>(TensorRange(in, 2), TensorRange(out, 1, 0),
                                         ReduceOperation::eSum, options);
    EXPECT_EQ(onDevice<float>(*out), (std::vector<float>{5, 5}));
}

TEST_F(ScanTest, EqualInputGivesEqualBits) {
    const auto values = randomValues<float>(200003);
    const auto first = scanned<float>(values, ReduceOperation::eSum);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(scanned<float>(values, ReduceOperation::eSum), first);
}

TEST_F(ScanTest, RunsAgainAmongOtherWorkOnTheSameMemory) {
    const auto values = manager.tensorT<uint32_t>(std::vector<uint32_t>(30000, 1));
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({values});
    sequence->record<kp::OpScan>(values, values, ReduceOperation::eSum);
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({values}, addShader(1)));
    sequence->record<kp::OpScan>(values, values, ReduceOperation::eMaximum);
    for (uint32_t round = 1; round < 4; ++round) {
        std::fill_n(values->data(), values->size(), round);
        sequence->eval();
        const std::vector<uint32_t> given = values->vector();
        for (uint32_t i = 0; i < given.size(); ++i)
            ASSERT_EQ(given[i], (i + 1) * round + 1) << i;
    }
}

TEST_F(ScanTest, RefusesArgumentsThatDoNotMatch) {
    const auto floats = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto others = manager.tensorT<float>(6);
    const auto expect = [&](const char* message, const TensorRange& in, const TensorRange& out,
                            const kp::Operator& combine, const ScanOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpScan(in, out, combine, options));
    };
    expect("the input is null", {}, others, ReduceOperation::eSum);
    expect("the input has 6 elements, but the output has 2", floats, TensorRange(others, 0, 2),
           ReduceOperation::eSum);
    expect("overlap", TensorRange(floats, 0, 4), TensorRange(floats, 1, 4), ReduceOperation::eSum);
    expect("eMean does not combine two elements", floats, others, ReduceOperation::eMean);
    expect("combines the bits of integers", floats, others, ReduceOperation::eXor);
    expect("eSum of eFloat needs an output of a floating-point type, not of eInt", floats,
           manager.tensorT<int32_t>(6), ReduceOperation::eSum);
    expect("eMaximum of eFloat needs an output of the same type, not of eDouble", floats,
           manager.tensorT<double>(6), ReduceOperation::eMaximum);
    ScanOptions options;
    options.shape = {2, 2};
    expect("the shape (2, 2) does not have the input's 6 elements", floats, others,
           ReduceOperation::eSum, options);
    options.shape = {2, 3};
    options.axis = -3;
    expect("axis -3 does not exist in an array of 2 dimensions", floats, others,
           ReduceOperation::eSum, options);
    options.segments = others;
    expect("give either segments, or shape and axis", floats, others, ReduceOperation::eSum,
           options);
}

} // namespace
} // namespace kp::test
