// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/Text.hpp"
#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/transforms/FftPrograms.hpp"
#include "vulkan/fft/PlainFft.hpp"
#include "vulkan/fft/SharedTables.hpp"
#include "vulkan/fft/VkFft.hpp"

namespace kp::test {
namespace {

using kp::primitives::FftPrograms;
using kp::primitives::FftTraits;
using kp::vulkan::FftRequest;
using ComplexDoubles = std::vector<std::complex<double>>;

/// Of an array.
uint64_t elementsOf(const FftRequest& request) {
    return std::accumulate(request.extents.begin(), request.extents.end(), uint64_t{1},
                           std::multiplies<>());
}

/// Transforms each array along its axes, by definition.
void transformByDefinition(ComplexDoubles& values, const FftRequest& request) {
    uint64_t inner = 1;
    for (size_t axis = request.extents.size(); axis-- > 0;) {
        const uint64_t length = request.extents[axis];
        for (uint64_t start = 0; start < values.size(); ++start) {
            if (start / inner % length != 0)
                continue;
            ComplexDoubles results(length);
            for (uint64_t k = 0; k < length; ++k)
                for (uint64_t i = 0; i < length; ++i)
                    results[k] += values[start + i * inner] *
                                  std::polar(1.0, (request.inverse ? 2 : -2) * std::numbers::pi *
                                                      static_cast<double>(i * k % length) /
                                                      static_cast<double>(length));
            for (uint64_t k = 0; k < length; ++k)
                values[start + k * inner] = results[k];
        }
        inner *= length;
    }
    if (request.normalized)
        for (auto& value : values)
            value /= static_cast<double>(elementsOf(request));
}

/// Every planner of transforms on this device, whichever one its own transforms come from.
class FftPlannersTest : public DeviceTest {
protected:
    enum class Planner { eVkFft, eVkFftWithFourBuffers, ePlain, ePlainWithoutInt64 };

    FftTraits traits(Planner planner) {
        FftTraits traits = FftTraits::of(*deviceOf(manager));
        traits.limits.vendor = 0;
        const bool isVkFft =
            planner == Planner::eVkFft || planner == Planner::eVkFftWithFourBuffers;
        traits.limits.isCpu = !isVkFft;
        traits.limits.maxBuffers = planner == Planner::eVkFftWithFourBuffers ? 4 : UINT32_MAX;
        traits.limits.int64 = traits.limits.int64 && planner != Planner::ePlainWithoutInt64;
        return traits;
    }

    template <typename T>
    std::vector<T> run(const FftRequest& request, const std::vector<T>& input, size_t results,
                       const FftTraits& traits) {
        FftPrograms programs(traits);
        const size_t program = programs.add(request);
        const uint32_t output = request.inPlace ? 0 : 1;
        kp::primitives::Plan plan(output + 1 + programs.constantCount());
        programs.append(plan, program, {0, 0}, {output, 0}, output + 1);
        const std::shared_ptr<kp::TensorT<T>> in = manager.tensorT<T>(input);
        const std::shared_ptr<kp::TensorT<T>> out =
            manager.tensorT<T>(std::vector<T>(results, T(77)));
        std::vector<kp::TensorRange> tensors = {in};
        if (!request.inPlace)
            tensors.emplace_back(out);
        for (const auto& constant : programs.constants(deviceOf(manager)))
            tensors.push_back(kp::tensorOf(deviceOf(manager), constant, 1));
        const std::vector<std::shared_ptr<kp::Memory>> both = {in, out};
        const std::shared_ptr<kp::Sequence> sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>(both)
            ->record(plannedOperation(std::move(plan), tensors))
            ->record<kp::OpSyncLocal>(both)
            ->eval();
        if (!request.inPlace) {
            EXPECT_EQ(in->vector(), input) << "the input was written";
        }
        return request.inPlace ? in->vector() : out->vector();
    }

    /// Compares a transform of random numbers with the definition.
    template <typename T>
    void expectTransform(FftRequest request, Planner planner) {
        request.precision = std::is_same_v<T, double> ? FftRequest::Precision::eDouble
                                                      : FftRequest::Precision::eSingle;
        const uint64_t row = request.extents.back();
        const uint64_t rows = request.batches * elementsOf(request) / row;
        const uint64_t half = row / 2 + 1;
        const uint64_t realSpace = request.inPlace ? 2 * half : row;
        const bool fromReal = request.real && !request.inverse;
        const bool toReal = request.real && request.inverse;

        const auto parts = randomValues<float>(2 * rows * row);
        ComplexDoubles full(rows * row);
        for (size_t i = 0; i < full.size(); ++i)
            full[i] = {parts[2 * i], fromReal || toReal ? 0 : parts[2 * i + 1]};
        ComplexDoubles expected = full;
        if (toReal) {
            // The spectrum of real numbers: transformed back, it is these.
            FftRequest forward = request;
            forward.inverse = forward.normalized = false;
            transformByDefinition(full, forward);
            if (!request.normalized)
                for (auto& value : expected)
                    value *= static_cast<double>(elementsOf(request));
        } else {
            transformByDefinition(expected, request);
        }

        // As they are in memory.
        const auto stored = [&](const ComplexDoubles& values, bool isReal, bool isSpectrum) {
            std::vector<double> numbers;
            for (uint64_t r = 0; r < rows; ++r)
                for (uint64_t i = 0; i < (isReal ? realSpace : isSpectrum ? half : row); ++i) {
                    const auto value = i < row ? values[r * row + i] : std::complex<double>();
                    numbers.push_back(value.real());
                    if (!isReal)
                        numbers.push_back(value.imag());
                }
            return numbers;
        };
        const std::vector<double> in = stored(full, fromReal, toReal);
        const std::vector<double> out = stored(expected, toReal, fromReal);
        const std::vector<T> found =
            run<T>(request, std::vector<T>(in.begin(), in.end()), out.size(), traits(planner));
        ASSERT_GE(found.size(), out.size());
        double largest = 0;
        for (const double value : out)
            largest = std::max(largest, std::abs(value));
        for (size_t i = 0; i < out.size(); ++i) {
            if (toReal && i % realSpace >= row)
                continue; // room for the spectrum
            ASSERT_NEAR(found[i], out[i], largest * (sizeof(T) == 8 ? 1e-13 : 2e-6))
                << "number " << i << " of " << kp::join(request.extents) << ", planner "
                << static_cast<int>(planner) << ", real " << request.real << ", inverse "
                << request.inverse << ", in place " << request.inPlace;
        }
    }

    template <typename T>
    void expectTransforms(const std::vector<uint64_t>& extents, Planner planner) {
        for (int kind = 0; kind < 8; ++kind) {
            FftRequest request;
            request.extents = extents;
            request.batches = 3;
            request.real = (kind & 1) != 0;
            request.inverse = request.normalized = (kind & 2) != 0;
            request.inPlace = (kind & 4) != 0;
            expectTransform<T>(request, planner);
        }
    }
};

TEST_F(FftPlannersTest, PlainKernelsTransformAnyLengthWithSmallFactors) {
    for (const Planner planner : {Planner::ePlain, Planner::ePlainWithoutInt64})
        for (const uint64_t length : {2, 3, 4, 8, 9, 13, 16, 32, 61, 90, 105, 128, 1024})
            expectTransforms<float>({length}, planner);
}

TEST_F(FftPlannersTest, PlainKernelsTransformSeveralAxes) {
    for (const std::vector<uint64_t>& extents :
         {std::vector<uint64_t>{3, 4}, {5, 7}, {16, 6}, {2, 3, 5}, {4, 1, 6}})
        expectTransforms<float>(extents, Planner::ePlain);
}

TEST_F(FftPlannersTest, PlainKernelsOfOddRadicesTransformManyNumbers) {
    FftRequest request;
    request.batches = 50;
    for (const uint64_t length : {9 * 3 * 16, 5 * 7 * 11, 13 * 25})
        for (const bool inverse : {false, true}) {
            request.extents = {length};
            request.inverse = inverse;
            expectTransform<float>(request, Planner::ePlain);
        }
}

TEST_F(FftPlannersTest, PlainKernelsTransformDoubles) {
    for (const uint64_t length : {2, 15, 64, 96})
        expectTransforms<double>({length}, Planner::ePlain);
}

TEST_F(FftPlannersTest, PlainKernelsAreSharedByPassesAndDirections) {
    const FftTraits traits = this->traits(Planner::ePlain);
    FftRequest request;
    request.extents = {512, 512};
    const auto forward = kp::vulkan::planPlainFft(request, traits.limits);
    EXPECT_EQ(forward.steps.size(), 6);
    ASSERT_EQ(forward.kernels.size(), 1);
    request.inverse = true;
    EXPECT_EQ(kp::vulkan::planPlainFft(request, traits.limits).kernels, forward.kernels);
}

TEST_F(FftPlannersTest, PlainKernelsLeaveLargePrimesToVkFft) {
    FftRequest request;
    request.extents = {67 * 2};
    EXPECT_TRUE(kp::vulkan::planPlainFft(request, traits(Planner::ePlain).limits).steps.empty());
    expectTransform<float>(request, Planner::ePlain);
}

TEST_F(FftPlannersTest, VkFftTransformsWhatOtherDevicesTransform) {
    for (const std::vector<uint64_t>& extents : {std::vector<uint64_t>{8}, {15}, {3, 4}})
        expectTransforms<float>(extents, Planner::eVkFft);
}

TEST_F(FftPlannersTest, LargePrimesNeedFourBuffers) {
    for (const std::vector<uint64_t>& extents : {std::vector<uint64_t>{47}, {107}, {47, 3}}) {
        FftRequest request;
        request.extents = extents;
        const FftTraits traits = this->traits(Planner::eVkFftWithFourBuffers);
        const auto mostBuffers = [](const kp::vulkan::FftProgram& program) {
            size_t most = 0;
            for (const auto& step : program.steps)
                most = std::max(most, step.bindings.size());
            return most;
        };
        const auto program = kp::vulkan::planVkFft(request, traits.limits);
        ASSERT_EQ(mostBuffers(program), 5u);
        EXPECT_EQ(mostBuffers(kp::vulkan::withSharedTables(program, 4)), 4u);
    }
    FftRequest request;
    request.extents = {47};
    request.batches = 3;
    expectTransform<float>(request, Planner::eVkFftWithFourBuffers);
}

} // namespace
} // namespace kp::test
