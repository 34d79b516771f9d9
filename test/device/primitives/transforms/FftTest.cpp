// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/transforms/FftPlan.hpp"
#include "vulkan/fft/VkFft.hpp"

namespace kp::test {
namespace {

using kp::FftNormalization;
using kp::FftOptions;
using kp::TensorRange;
using Extents = std::vector<uint64_t>;
using Complex = std::complex<double>;

/// Transforms each row of @p length numbers, @p stride apart, by the definition.
void transformAxis(std::vector<Complex>& values, uint64_t length, uint64_t stride, bool inverse) {
    std::vector<Complex> roots(length);
    for (uint64_t k = 0; k < length; ++k)
        roots[k] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) /
                                       static_cast<double>(length));
    std::vector<Complex> row(length);
    for (uint64_t start = 0; start < values.size(); ++start) {
        if (start / stride % length != 0)
            continue;
        for (uint64_t k = 0; k < length; ++k) {
            Complex sum = 0;
            uint64_t root = 0;
            for (uint64_t j = 0; j < length; ++j) {
                sum += values[start + j * stride] * roots[root];
                root += k;
                root -= root >= length ? length : 0;
            }
            row[k] = sum;
        }
        for (uint64_t k = 0; k < length; ++k)
            values[start + k * stride] = row[k];
    }
}

void transformAll(std::vector<Complex>& values, const Extents& extents, bool inverse) {
    uint64_t stride = 1;
    for (size_t i = extents.size(); i-- > 0;) {
        transformAxis(values, extents[i], stride, inverse);
        stride *= extents[i];
    }
}

uint64_t productOf(const Extents& extents) {
    uint64_t product = 1;
    for (const uint64_t extent : extents)
        product *= extent;
    return product;
}

double magnitudeOf(const std::vector<Complex>& values) {
    double sum = 0;
    for (const Complex& value : values)
        sum += std::norm(value);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

template <typename T>
double numberOf(T value) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(value);
    else
        return static_cast<double>(static_cast<float>(value));
}

/// A bound for errors relative to the root mean square of the results.
template <typename T>
double toleranceOf(uint64_t elements) {
    const double unit = sizeof(T) == 2 ? 0x1p-10 : sizeof(T) == 4 ? 0x1p-22 : 0x1p-50;
    return unit * (4 + 2 * std::log2(static_cast<double>(elements) + 1));
}

class FftTest : public DeviceTest {
protected:
    void SetUp() override {
        if (!kp::vulkan::hasVkFft())
            GTEST_SKIP() << "built without VkFFT";
    }

    template <typename T>
    bool has() {
        using kp::vulkan::Feature;
        if (sizeof(T) == 2)
            return deviceOf(manager)->has(Feature::eStorageBuffer16BitAccess);
        return sizeof(T) != 8 || deviceOf(manager)->has(Feature::eShaderFloat64);
    }

    template <typename T>
    static std::vector<T> narrowed(const std::vector<Complex>& values) {
        std::vector<T> parts;
        for (const Complex& value : values) {
            parts.push_back(static_cast<T>(static_cast<float>(value.real())));
            parts.push_back(static_cast<T>(static_cast<float>(value.imag())));
        }
        return parts;
    }

    /// Evaluates a transform; the output starts as rubbish.
    template <typename T>
    std::vector<T> run(const std::vector<T>& input, uint64_t outputSize, const Extents& extents,
                       const FftOptions& options) {
        const auto in = manager.tensorT<T>(input);
        const auto out = manager.tensorT<T>(std::vector<T>(outputSize, static_cast<T>(77.0f)));
        const std::shared_ptr<kp::Sequence> sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({in, out});
        sequence->record<kp::OpFFT>(in, out, extents, options);
        sequence->record<kp::OpSyncLocal>({in, out});
        sequence->eval();
        EXPECT_EQ(std::memcmp(in->data(), input.data(), input.size() * sizeof(T)), 0)
            << "the input has changed";
        return out->vector();
    }

    template <typename T>
    void expectNear(const std::vector<T>& actual, const std::vector<Complex>& expected,
                    uint64_t elements) {
        ASSERT_EQ(actual.size(), 2 * expected.size());
        const double bound = toleranceOf<T>(elements) * magnitudeOf(expected) * 4 + 1e-30;
        double worst = 0;
        for (size_t i = 0; i < expected.size(); ++i) {
            const Complex value(numberOf(actual[2 * i]), numberOf(actual[2 * i + 1]));
            worst = std::max(worst, std::abs(value - expected[i]));
        }
        EXPECT_LE(worst, bound);
    }

    /// Compares both directions of complex transforms with the definition.
    template <typename T>
    void expectComplex(const Extents& extents, uint64_t batches) {
        SCOPED_TRACE(testing::PrintToString(extents) + " x " + std::to_string(batches));
        const uint64_t each = productOf(extents);
        const std::vector<T> input = randomValues<T>(2 * each * batches, each);
        std::vector<Complex> values;
        for (uint64_t i = 0; i < each * batches; ++i)
            values.emplace_back(numberOf(input[2 * i]), numberOf(input[2 * i + 1]));
        for (const bool inverse : {false, true}) {
            SCOPED_TRACE(inverse ? "inverse" : "forward");
            std::vector<Complex> expected;
            for (uint64_t batch = 0; batch < batches; ++batch) {
                std::vector<Complex> one(values.begin() + static_cast<ptrdiff_t>(batch * each),
                                         values.begin() +
                                             static_cast<ptrdiff_t>((batch + 1) * each));
                transformAll(one, extents, inverse);
                expected.insert(expected.end(), one.begin(), one.end());
            }
            if (inverse)
                for (Complex& value : expected)
                    value /= static_cast<double>(each);
            FftOptions options;
            options.inverse = inverse;
            expectNear(run<T>(input, input.size(), extents, options), expected, each);
        }
    }

    /// Compares the transform of real numbers with the definition, and its inverse with them.
    template <typename T>
    void expectReal(const Extents& extents, uint64_t batches) {
        SCOPED_TRACE(testing::PrintToString(extents) + " x " + std::to_string(batches));
        const uint64_t each = productOf(extents);
        const uint64_t length = extents.back();
        const uint64_t half = length / 2 + 1;
        const std::vector<T> input = randomValues<T>(each * batches, each);
        std::vector<Complex> expected;
        std::vector<Complex> inputs;
        for (uint64_t batch = 0; batch < batches; ++batch) {
            std::vector<Complex> one;
            for (uint64_t i = 0; i < each; ++i)
                one.emplace_back(numberOf(input[batch * each + i]));
            transformAll(one, extents, false);
            for (uint64_t i = 0; i < each; ++i)
                if (i % length < half)
                    expected.push_back(one[i]);
        }
        FftOptions options;
        options.real = true;
        expectNear(run<T>(input, 2 * expected.size(), extents, options), expected, each);

        options.inverse = true;
        const std::vector<T> spectrum = narrowed<T>(expected);
        const std::vector<T> back = run<T>(spectrum, input.size(), extents, options);
        const double bound = toleranceOf<float>(each) * 4 * (sizeof(T) == 2 ? 0x1p12 : 1);
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(numberOf(back[i]), numberOf(input[i]), bound) << "element " << i;
    }
};

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

TEST_F(FftTest, WorksInPlace) {
    for (const uint64_t length : {6u}) {
        SCOPED_TRACE(length);
        const std::vector<float> input = randomValues<float>(2 * length * 2, length);
        const std::vector<float> expected = run<float>(input, input.size(), {length}, {});
        const auto tensor = manager.tensorT<float>(input);
        manager.sequence()
            ->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpFFT>(tensor, TensorRange(), Extents{length})
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(tensor->data()[i], expected[i], 1e-3f) << i;
        FftOptions inverse;
        inverse.inverse = true;
        manager.sequence()
            ->record<kp::OpFFT>(tensor, tensor, Extents{length}, inverse)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(tensor->data()[i], input[i], 1e-5f) << i;
    }
}

TEST_F(FftTest, WorksInPlaceOnRealRowsWithRoom) {
    for (const Extents& extents : std::vector<Extents>{{6}, {2, 3}}) {
        SCOPED_TRACE(testing::PrintToString(extents));
        const uint64_t length = extents.back();
        const uint64_t room = 2 * (length / 2 + 1);
        const uint64_t rows = 2 * productOf(extents) / length;
        const std::vector<float> values = randomValues<float>(rows * length, length);
        FftOptions options;
        options.real = true;
        const std::vector<float> expected = run<float>(values, rows * room, extents, options);
        std::vector<float> padded(rows * room, 99.0f);
        for (uint64_t row = 0; row < rows; ++row)
            std::copy_n(values.begin() + static_cast<ptrdiff_t>(row * length), length,
                        padded.begin() + static_cast<ptrdiff_t>(row * room));
        const auto tensor = manager.tensorT<float>(padded);
        manager.sequence()
            ->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpFFT>(tensor, TensorRange(), extents, options)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(tensor->data()[i], expected[i], 1e-4f) << i;
        options.inverse = true;
        manager.sequence()
            ->record<kp::OpFFT>(tensor, TensorRange(), extents, options)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (uint64_t row = 0; row < rows; ++row)
            for (uint64_t i = 0; i < length; ++i)
                ASSERT_NEAR(tensor->data()[row * room + i], values[row * length + i], 1e-5f);
    }
}

TEST_F(FftTest, TransformsAnyAxes) {
    // Along the first axis, the transform of the transposed array.
    constexpr uint64_t kRows = 6;
    constexpr uint64_t kColumns = 5;
    for (const bool real : {false, true}) {
        const uint64_t parts = real ? 1 : 2;
        const std::vector<float> input = randomValues<float>(kRows * kColumns * parts, 4);
        std::vector<float> transposed(input.size());
        for (uint64_t row = 0; row < kRows; ++row)
            for (uint64_t column = 0; column < kColumns; ++column)
                for (uint64_t part = 0; part < parts; ++part)
                    transposed[(column * kRows + row) * parts + part] =
                        input[(row * kColumns + column) * parts + part];
        const uint64_t bins = real ? kRows / 2 + 1 : kRows;
        FftOptions options;
        options.real = real;
        const std::vector<float> expected =
            run<float>(transposed, 2 * bins * kColumns, {kRows}, options);
        options.axes = {0};
        const Extents shape{kRows, kColumns};
        const std::vector<float> actual = run<float>(input, expected.size(), shape, options);
        for (uint64_t bin = 0; bin < bins; ++bin)
            for (uint64_t column = 0; column < kColumns; ++column)
                for (uint64_t part = 0; part < 2; ++part)
                    ASSERT_NEAR(actual[(bin * kColumns + column) * 2 + part],
                                expected[(column * bins + bin) * 2 + part], 1e-5f);
        options.inverse = true;
        const std::vector<float> back = run<float>(actual, input.size(), shape, options);
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(back[i], input[i], 1e-5f);
    }
    const std::vector<float> input = randomValues<float>(2 * 4 * 3 * 5, 4);
    FftOptions two;
    two.axes = {0, 2};
    FftOptions first;
    first.axes = {0};
    FftOptions last;
    last.axes = {-1};
    const Extents shape{4, 3, 5};
    const std::vector<float> expected =
        run<float>(run<float>(input, input.size(), shape, first), input.size(), shape, last);
    const std::vector<float> actual = run<float>(input, input.size(), shape, two);
    for (size_t i = 0; i < input.size(); ++i)
        ASSERT_NEAR(actual[i], expected[i], 1e-4f);
}

TEST_F(FftTest, CutsAndPadsItsInput) {
    const std::vector<float> input = randomValues<float>(4 * 6, 4);
    for (const Extents& shape : std::vector<Extents>{{2, 8}, {6, 4}}) {
        std::vector<float> changed(productOf(shape));
        for (uint64_t i = 0; i < std::min<uint64_t>(4, shape[0]); ++i)
            for (uint64_t j = 0; j < std::min<uint64_t>(6, shape[1]); ++j)
                changed[i * shape[1] + j] = input[i * 6 + j];
        FftOptions options;
        options.real = true;
        const uint64_t numbers = shape[0] * (shape[1] / 2 + 1) * 2;
        const std::vector<float> expected = run<float>(changed, numbers, shape, options);
        options.inputShape = {4, 6};
        const std::vector<float> actual = run<float>(input, numbers, shape, options);
        for (size_t i = 0; i < numbers; ++i)
            ASSERT_NEAR(actual[i], expected[i], 1e-4f);
    }
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

TEST_F(FftTest, TransformsPartsOfTensors) {
    const std::vector<float> input = randomValues<float>(16, 5);
    const std::vector<float> expected = run<float>(input, 16, {8}, {});
    std::vector<float> shifted(3, 1.0f);
    shifted.insert(shifted.end(), input.begin(), input.end());
    const auto in = manager.tensorT<float>(shifted);
    const auto out = manager.tensorT<float>(std::vector<float>(32, 5.0f));
    manager.sequence()
        ->record<kp::OpSyncDevice>({in, out})
        ->record<kp::OpFFT>(TensorRange(in, 3), TensorRange(out, 7, 16), Extents{8})
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    for (size_t i = 0; i < 32; ++i)
        ASSERT_NEAR(out->data()[i], i < 7 || i >= 23 ? 5.0f : expected[i - 7], 1e-5f) << i;
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

TEST_F(FftTest, OperationsOfOneShapeShareNoScratchMemory) {
    // Two passes each, with scratch memory between them, in sequences that run at once.
    constexpr uint64_t kLength = 8192;
    std::vector<std::shared_ptr<kp::TensorT<float>>> ins;
    std::vector<std::shared_ptr<kp::TensorT<float>>> outs;
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    for (int i = 0; i < 3; ++i) {
        ins.push_back(
            manager.tensorT<float>(std::vector<float>(2 * kLength, static_cast<float>(i + 1))));
        outs.push_back(manager.tensorT<float>(std::vector<float>(2 * kLength)));
        sequences.push_back(manager.sequence());
        sequences.back()
            ->record<kp::OpSyncDevice>({ins.back()})
            ->record<kp::OpFFT>(ins.back(), outs.back())
            ->record<kp::OpSyncLocal>({outs.back()});
    }
    for (const auto& sequence : sequences)
        sequence->evalAsync();
    for (int i = 0; i < 3; ++i) {
        sequences[i]->evalAwait();
        EXPECT_NEAR(outs[i]->data()[0], static_cast<float>(i + 1) * kLength, 1);
        EXPECT_NEAR(outs[i]->data()[2], 0, 1);
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

TEST_F(FftTest, DividesWhatIsLargerThanAStorageBuffer) {
    // An invented limit of 4 KiB cuts 13 arrays of 100 numbers into three dispatches of a GPU.
    kp::primitives::FftTraits traits = kp::primitives::FftTraits::of(*deviceOf(manager));
    traits.limits.isCpu = false;
    traits.maxRange = 4096;
    kp::primitives::FftProblem problem;
    problem.extents = {100};
    problem.batches = 13;
    kp::primitives::FftPrograms programs(traits);
    kp::primitives::Plan plan = planFft(problem, traits, programs);
    EXPECT_EQ(plan.steps.size(), 3u);
    const std::vector<float> input = randomValues<float>(2600, 8);
    const auto in = manager.tensorT<float>(input);
    const auto out = manager.tensorT<float>(std::vector<float>(2600));
    std::vector<TensorRange> tensors = {in, out};
    for (const auto& constant : programs.constants(deviceOf(manager)))
        tensors.push_back(kp::tensorOf(deviceOf(manager), constant, 1));
    manager.sequence()
        ->record<kp::OpSyncDevice>({in})
        ->record(plannedOperation(std::move(plan), tensors))
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    const std::vector<float> expected = run<float>(input, 2600, {100}, {});
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(out->data()[i], expected[i], 1e-4f) << i;

    problem.extents = {1000};
    kp::primitives::FftPrograms none(traits);
    EXPECT_ERROR(kp::Unsupported, "at most 4096", planFft(problem, traits, none));
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
