// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/transforms/FftPrograms.hpp"
#include "vulkan/fft/PowerOfTwoFft.hpp"

namespace kp::test {
namespace {

using kp::primitives::FftPrograms;
using kp::primitives::FftTraits;
using kp::vulkan::FftRequest;
using ComplexNumbers = std::vector<std::complex<float>>;

constexpr uint32_t kNvidia = 0x10DE;

/// The transforms that NVIDIA's devices get, on this device.
class PowerOfTwoFftTest : public DeviceTest {
protected:
    FftTraits traits() {
        FftTraits traits = FftTraits::of(*deviceOf(manager));
        traits.limits.vendor = kNvidia;
        traits.limits.isCpu = false;
        return traits;
    }

    static FftRequest requestOf(uint64_t length, uint64_t batches) {
        FftRequest request;
        request.extents = {length};
        request.batches = batches;
        return request;
    }

    bool isPlanned(const FftRequest& request) {
        return !kp::vulkan::planPowerOfTwoFft(request, traits().limits).steps.empty();
    }

    ComplexNumbers transformed(const ComplexNumbers& values, const FftRequest& request) {
        FftPrograms programs(traits());
        const size_t program = programs.add(request);
        EXPECT_EQ(programs.constantCount(), 0) << "not the library's own shaders";
        kp::primitives::Plan plan(request.inPlace ? 1 : 2);
        const uint32_t result = request.inPlace ? 0 : 1;
        programs.append(plan, program, {0, 0}, {result, 0}, 2);
        const auto in = manager.tensorT<std::complex<float>>(values);
        const auto out = manager.tensorT<std::complex<float>>(
            ComplexNumbers(values.size(), std::complex<float>(77, 77)));
        std::vector<kp::TensorRange> tensors = {in};
        if (!request.inPlace)
            tensors.emplace_back(out);
        manager.sequence()
            ->record<kp::OpSyncDevice>({in, out})
            ->record(plannedOperation(std::move(plan), tensors))
            ->record<kp::OpSyncLocal>({in, out})
            ->eval();
        return request.inPlace ? in->vector() : out->vector();
    }

    static ComplexNumbers valuesFor(const FftRequest& request) {
        const auto parts = randomValues<float>(2 * request.extents[0] * request.batches);
        ComplexNumbers values;
        for (size_t i = 0; i < parts.size(); i += 2)
            values.emplace_back(parts[i], parts[i + 1]);
        return values;
    }

    /// Compares some numbers of the first and of the last array with the definition.
    static void expectTransforms(const ComplexNumbers& values, const ComplexNumbers& found,
                                 const FftRequest& request) {
        const uint64_t length = request.extents[0];
        ASSERT_EQ(found.size(), values.size());
        const double unit = request.normalized ? 1 / static_cast<double>(length) : 1.0;
        const double size = std::sqrt(static_cast<double>(length)) * unit; // of a number
        for (const uint64_t first : {uint64_t{0}, values.size() - length})
            for (const uint64_t index :
                 {uint64_t{0}, uint64_t{1}, length / 3, length / 2, length - 1}) {
                std::complex<double> sum = 0;
                for (uint64_t i = 0; i < length; ++i) {
                    const double turns =
                        static_cast<double>(index * i % length) / static_cast<double>(length);
                    sum += std::complex<double>(values[first + i]) *
                           std::polar(1.0, (request.inverse ? 2 : -2) * std::numbers::pi * turns);
                }
                const std::complex<double> actual(found[first + index]);
                ASSERT_LT(std::abs(actual - sum * unit),
                          0x1p-23 * std::log2(static_cast<double>(length)) * size)
                    << length << " at " << index;
            }
    }

    /// Expects that devices with the limits of GPUs have a plan.
    void expectPlanned(const FftRequest& request) {
        const VkPhysicalDeviceLimits& limits = deviceOf(manager)->physical().properties.limits;
        const bool small = limits.maxComputeSharedMemorySize < 32 << 10 ||
                           limits.maxComputeWorkGroupInvocations < 1024;
        EXPECT_TRUE(isPlanned(request) || small);
    }

    void expectTransform(const FftRequest& request) {
        if (!isPlanned(request))
            return; // this device has too little shared memory
        const ComplexNumbers values = valuesFor(request);
        expectTransforms(values, transformed(values, request), request);
    }
};

TEST_F(PowerOfTwoFftTest, TransformsArraysOfAnyNumber) {
    for (const uint64_t length : casesInTurn<uint64_t>(
             manager, {1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14}, 4))
        for (const uint64_t arrays : {8, 9}) // all work groups are full, or one is not
            expectTransform(requestOf(length, arrays));
    expectPlanned(requestOf(1 << 14, 1));
}

TEST_F(PowerOfTwoFftTest, TransformsLongArraysInTwoPasses) {
    for (const uint64_t length :
         casesInTurn<uint64_t>(manager, {1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 20, 1 << 22}, 3))
        expectTransform(requestOf(length, length < 1 << 17 ? 3 : 1));
    expectPlanned(requestOf(1 << 16, 1));
}

TEST_F(PowerOfTwoFftTest, TransformsBackAndInPlace) {
    for (const uint64_t length : casesInTurn<uint64_t>(manager, {1 << 10, 1 << 13, 1 << 16}, 3)) {
        FftRequest request = requestOf(length, 2);
        request.inverse = true;
        expectTransform(request);
        request.normalized = true;
        request.inPlace = true;
        expectTransform(request);
    }
}

TEST_F(PowerOfTwoFftTest, DividesMoreGroupsThanFitARow) {
    FftTraits few = traits();
    few.limits.maxGroupCount[0] = 2;
    FftPrograms programs(few);
    const FftRequest request = requestOf(1 << 10, 9);
    const size_t program = programs.add(request);
    kp::primitives::Plan plan(2);
    programs.append(plan, program, {0, 0}, {1, 0}, 2);
    const ComplexNumbers values = valuesFor(request);
    const auto in = manager.tensorT<std::complex<float>>(values);
    const auto out = manager.tensorT<std::complex<float>>(values.size());
    manager.sequence()
        ->record<kp::OpSyncDevice>({in})
        ->record(plannedOperation(std::move(plan), {in, out}))
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    expectTransforms(values, out->vector(), request);
}

} // namespace
} // namespace kp::test
