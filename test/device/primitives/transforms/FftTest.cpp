// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/transforms/FftSupport.hpp"

namespace kp::test {
namespace {

TEST_F(FftTest, TransformsComplexNumbersOfAnyLength) {
    // 17 is a prime that needs another algorithm.
    for (const uint64_t length : {1, 2, 17, 9})
        expectComplex<float>({length}, 1 + length % 3);
}

TEST_F(FftTest, TransformsTwoAndThreeDimensions) {
    expectComplex<float>({3, 4}, 2);
    expectReal<float>({4, 5}, 2);
    expectReal<float>({2, 1, 4}, 1);
}

TEST_F(FftTest, TransformsRealNumbersOfAnyLength) {
    for (const uint64_t length : {1, 2, 15, 16})
        expectReal<float>({length}, 1 + length % 3);
}

TEST_F(FftTest, TransformsDoubles) {
    if (!has<double>())
        GTEST_SKIP() << "no doubles";
    expectComplex<double>({12}, 2);
    expectReal<double>({6}, 2);
}

TEST_F(FftTest, TransformsHalves) {
    if (!has<kp::Half>())
        GTEST_SKIP() << "no halves";
    expectComplex<kp::Half>({8}, 2);
    expectReal<kp::Half>({8}, 2);
}

TEST_F(FftTest, FindsATone) {
    // 2^17 needs two passes; a tone has one bin, with known values.
    constexpr uint64_t kLength = 1 << 17;
    std::vector<std::complex<float>> values(kLength);
    for (uint64_t i = 0; i < kLength; ++i)
        values[i] = std::complex<float>(std::polar(
            1.0, 2 * std::numbers::pi * static_cast<double>(i * 1234 % kLength) / kLength));
    const auto in = manager.tensorT<std::complex<float>>(values);
    const auto out = manager.tensorT<std::complex<float>>(kLength);
    manager.sequence()
        ->record<kp::OpSyncDevice>({in})
        ->record<kp::OpFFT>(in, out)
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    const auto spectrum = out->vector();
    for (uint64_t i = 0; i < kLength; ++i)
        ASSERT_NEAR(std::abs(spectrum[i]), i == 1234 ? kLength : 0, 0.05) << i;
}

TEST_F(FftTest, NormalizesAsAsked) {
    const Extents extents{4, 6};
    const std::vector<float> input = randomValues<float>(48, 1);
    FftOptions options;
    const std::vector<float> plain = run<float>(input, 48, extents, options);
    options.inverse = true;
    const std::vector<float> inverse = run<float>(input, 48, extents, options); // divided by 24
    const auto expect = [&](FftNormalization normalization, bool isInverse, double factor) {
        FftOptions asked;
        asked.inverse = isInverse;
        asked.normalization = normalization;
        const std::vector<float> actual = run<float>(input, 48, extents, asked);
        for (size_t i = 0; i < actual.size(); ++i)
            ASSERT_NEAR(actual[i], (isInverse ? inverse : plain)[i] * factor, 1e-5);
    };
    expect(FftNormalization::eOrtho, false, 1 / std::sqrt(24.0));
    expect(FftNormalization::eOrtho, true, std::sqrt(24.0));
    expect(FftNormalization::eForward, false, 1 / 24.0);
    expect(FftNormalization::eForward, true, 24);
}

TEST_F(FftTest, IgnoresWhatIsRealOfSymmetricSpectra) {
    // Two rows, so that a transform of both at once would mix them.
    FftOptions options;
    options.real = true;
    options.inverse = true;
    for (const uint64_t length : {7u, 8u}) {
        std::vector<float> spectrum = randomValues<float>(2 * 2 * (length / 2 + 1), 3);
        const std::vector<float> mixed = run<float>(spectrum, 2 * length, {length}, options);
        for (uint64_t row = 0; row < 2; ++row) {
            float* const first = spectrum.data() + row * 2 * (length / 2 + 1);
            first[1] = 0;
            if (length % 2 == 0)
                first[length + 1] = 0;
        }
        const std::vector<float> clean = run<float>(spectrum, 2 * length, {length}, options);
        for (size_t i = 0; i < clean.size(); ++i)
            ASSERT_NEAR(mixed[i], clean[i], 1e-5f) << length << ": " << i;
    }
}

TEST_F(FftTest, OrdersWithOtherWorkAndRunsAgain) {
    const auto in = manager.tensorT<float>(std::vector<float>(2 * 96, 1.0f));
    const auto middle = manager.tensorT<float>(std::vector<float>(2 * 96));
    const auto out = manager.tensorT<float>(std::vector<float>(2 * 96));
    FftOptions inverse;
    inverse.inverse = true;
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({in})
        ->record<kp::OpFFT>(in, middle)
        ->record<kp::OpFFT>(middle, out, Extents{}, inverse)
        ->record<kp::OpCopy>({out, in})
        ->record<kp::OpSyncLocal>({middle, out});
    for (int i = 0; i < 3; ++i) {
        sequence->eval();
        EXPECT_NEAR(middle->data()[0], 96, 1e-3);
        EXPECT_NEAR(out->data()[190], 1, 1e-5);
    }
}

TEST_F(FftTest, IsPlannedByThreadsAtOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&, i] {
            for (const uint64_t length : {4u, 6u}) {
                std::vector<float> ones(2 * length, static_cast<float>(i));
                const auto in = manager.tensorT<float>(ones);
                const auto out = manager.tensorT<float>(ones);
                manager.sequence()
                    ->record<kp::OpSyncDevice>({in})
                    ->record<kp::OpFFT>(in, out)
                    ->record<kp::OpSyncLocal>({out})
                    ->eval();
                EXPECT_NEAR(out->data()[0], static_cast<float>(i) * static_cast<float>(length),
                            1e-4f);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
}

// The code of docs/computing/fft.md.
TEST_F(FftTest, DoesWhatItsPageShows) {
    auto values = manager.tensorT<float>({1, 2, 3, 4});
    auto spectrum = manager.tensorT<std::complex<float>>(3);
    kp::FftOptions real;
    real.real = true;
    manager.sequence()
        ->record<kp::OpSyncDevice>({values})
        ->record<kp::OpFFT>(values, spectrum, std::vector<uint64_t>{4}, real)
        ->record<kp::OpSyncLocal>({spectrum})
        ->eval();
    const std::vector<std::complex<float>> expected = {{10, 0}, {-2, 2}, {-2, 0}};
    for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(std::abs(spectrum->vector()[i] - expected[i]), 0, 1e-5f) << i;
}

TEST_F(FftTest, RejectsWhatDoesNotMatch) {
    const auto floats = manager.tensorT<float>(std::vector<float>(24));
    const auto others = manager.tensorT<float>(std::vector<float>(20));
    const auto integers = manager.tensorT<int32_t>(std::vector<int32_t>(24));
    const auto make = [&](const TensorRange& in, const TensorRange& out, const Extents& shape,
                          bool real = false, bool inverse = false) {
        FftOptions options;
        options.real = real;
        options.inverse = inverse;
        return kp::OpFFT(in, out, shape, options);
    };
    EXPECT_ERROR(kp::InvalidArgument, "eInt", make(integers, floats, {12}));
    EXPECT_ERROR(kp::InvalidArgument, "extent of 0", make(floats, others, {0}));
    EXPECT_ERROR(kp::InvalidArgument, "three dimensions", make(floats, others, {1, 2, 2, 3}));
    EXPECT_ERROR(kp::InvalidArgument, "20 real numbers", make(floats, others, {12}));
    EXPECT_ERROR(kp::InvalidArgument, "but the output has", make(floats, others, {2}));
    EXPECT_ERROR(kp::InvalidArgument, "take two each",
                 make(TensorRange(floats, 0, 23), others, {2}));
    EXPECT_ERROR(kp::InvalidArgument, "overlap",
                 make(TensorRange(floats, 0, 12), TensorRange(floats, 6, 12), {6}));
    EXPECT_ERROR(kp::InvalidArgument, "needs a shape", make(floats, TensorRange(), {}, true));
    EXPECT_ERROR(kp::InvalidArgument, "the input is null", make(TensorRange(), floats, {2}));
    FftOptions axes;
    axes.axes = {0, 0};
    EXPECT_ERROR(kp::InvalidArgument, "given twice", kp::OpFFT(floats, {}, {3, 4}, axes));
    axes.axes = {2};
    EXPECT_ERROR(kp::InvalidArgument, "does not exist", kp::OpFFT(floats, {}, {3, 4}, axes));
    axes.axes = {1};
    EXPECT_ERROR(kp::InvalidArgument, "24 real numbers", kp::OpFFT(floats, {}, {3, 5}, axes));
    const auto complexes = manager.tensorT<std::complex<float>>(12);
    EXPECT_ERROR(kp::InvalidArgument, "real numbers of", make(complexes, floats, {12}, true));
    const auto doubles = manager.tensorT<std::complex<double>>(12);
    EXPECT_ERROR(kp::InvalidArgument, "eDouble", make(complexes, doubles, {12}));
}

TEST_F(FftTest, DoesNothingToNothing) {
    const auto in = manager.tensorT<float>(std::vector<float>(4));
    const auto out = manager.tensorT<float>(std::vector<float>(4, 3.0f));
    manager.sequence()
        ->record<kp::OpSyncDevice>({out})
        ->record<kp::OpFFT>(TensorRange(in, 4, 0), TensorRange(out, 0, 0), Extents{4})
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    EXPECT_EQ(out->vector(), std::vector<float>(4, 3.0f));
}

} // namespace
} // namespace kp::test
