// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/transforms/FftPlan.hpp"
#include "vulkan/fft/VkFft.hpp"

namespace kp::test {

using kp::FftNormalization;
using kp::FftOptions;
using kp::TensorRange;
using Extents = std::vector<uint64_t>;
using Complex = std::complex<double>;

/// Transforms each row of @p length numbers, @p stride apart, by the definition.
inline void transformAxis(std::vector<Complex>& values, uint64_t length, uint64_t stride,
                          bool inverse) {
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

inline void transformAll(std::vector<Complex>& values, const Extents& extents, bool inverse) {
    uint64_t stride = 1;
    for (size_t i = extents.size(); i-- > 0;) {
        transformAxis(values, extents[i], stride, inverse);
        stride *= extents[i];
    }
}

inline uint64_t productOf(const Extents& extents) {
    uint64_t product = 1;
    for (const uint64_t extent : extents)
        product *= extent;
    return product;
}

inline double magnitudeOf(const std::vector<Complex>& values) {
    double sum = 0;
    for (const Complex& value : values)
        sum += std::norm(value);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

template <typename T>
double realOf(T value) {
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
            const Complex value(realOf(actual[2 * i]), realOf(actual[2 * i + 1]));
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
            values.emplace_back(realOf(input[2 * i]), realOf(input[2 * i + 1]));
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
                one.emplace_back(realOf(input[batch * each + i]));
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
            ASSERT_NEAR(realOf(back[i]), realOf(input[i]), bound) << "element " << i;
    }
};

} // namespace kp::test
