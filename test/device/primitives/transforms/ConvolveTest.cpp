// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/transforms/ConvolvePlan.hpp"
#include "vulkan/fft/VkFft.hpp"

namespace kp::test {
namespace {

using Extents = std::vector<uint64_t>;

class ConvolveTest : public DeviceTest {
protected:
    static constexpr uint64_t kSignal = 6;
    static constexpr uint64_t kKernel = 3;
    static constexpr uint64_t kResult = kSignal + kKernel - 1;

    void SetUp() override {
        if (!kp::vulkan::hasVkFft())
            GTEST_SKIP() << "built without VkFFT";
    }

    /// Convolves rows of kSignal numbers with rows of kKernel, and compares with a loop.
    /// @param batchA, batchB  the extents before the last, as many
    /// @param range           if not 0, the most bytes that a shader accesses at once
    void expectBatches(const Extents& batchA, const Extents& batchB, uint64_t range = 0) {
        const auto elements = [](const Extents& extents) {
            uint64_t product = 1;
            for (const uint64_t extent : extents)
                product *= extent;
            return product;
        };
        Extents batch;
        for (size_t i = 0; i < batchA.size(); ++i)
            batch.push_back(std::max(batchA[i], batchB[i]));
        const std::vector<float> valuesA = randomValues<float>(elements(batchA) * kSignal, 11);
        const std::vector<float> valuesB = randomValues<float>(elements(batchB) * kKernel, 12);
        const auto a = manager.tensorT<float>(valuesA);
        const auto b = manager.tensorT<float>(valuesB);
        const auto out = manager.tensorT<float>(std::vector<float>(elements(batch) * kResult));
        Extents shapeA = batchA;
        shapeA.push_back(kSignal);
        Extents shapeB = batchB;
        shapeB.push_back(kKernel);
        constexpr auto kFull = kp::ConvolutionPart::eFull;
        auto sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({a, b});
        if (range == 0) {
            sequence->record<kp::OpConvolve>(a, b, out, shapeA, shapeB, kFull,
                                             std::vector<int>{-1});
        } else {
            const kp::primitives::ConvolveProblem problem(shapeA, shapeB, kFull, {-1},
                                                          kp::Memory::DataTypes::eFloat, true);
            auto traits = kp::primitives::FftTraits::of(*deviceOf(manager));
            traits.maxRange = range;
            kp::primitives::FftPrograms programs(traits);
            kp::primitives::Plan plan = planConvolve(problem, traits, programs);
            std::vector<TensorRange> tensors = {a, b, out};
            for (const auto& constant : programs.constants(deviceOf(manager)))
                tensors.push_back(kp::tensorOf(deviceOf(manager), constant, 1));
            sequence->record(plannedOperation(std::move(plan), tensors));
        }
        sequence->record<kp::OpSyncLocal>({out})->eval();
        for (uint64_t result = 0; result < elements(batch); ++result) {
            // Where the arrays of this result are.
            uint64_t rowA = 0;
            uint64_t rowB = 0;
            uint64_t rest = result;
            uint64_t strideA = 1;
            uint64_t strideB = 1;
            for (size_t i = batch.size(); i-- > 0;) {
                rowA += rest % batch[i] % batchA[i] * strideA;
                rowB += rest % batch[i] % batchB[i] * strideB;
                rest /= batch[i];
                strideA *= batchA[i];
                strideB *= batchB[i];
            }
            for (uint64_t i = 0; i < kResult; ++i) {
                float sum = 0;
                for (uint64_t j = 0; j < kKernel; ++j)
                    if (j <= i && i - j < kSignal)
                        sum += valuesB[rowB * kKernel + j] * valuesA[rowA * kSignal + i - j];
                ASSERT_NEAR(out->data()[result * kResult + i], sum, 1e-5f) << result << " " << i;
            }
        }
    }
};

TEST_F(ConvolveTest, ConvolvesVectors) {
    const auto a = manager.tensorT<float>({1, 2, 3, 4});
    const auto b = manager.tensorT<float>({1, 0, -1});
    const auto expect = [&](kp::ConvolutionPart part, const std::vector<float>& expected) {
        const auto out = manager.tensorT<float>(std::vector<float>(expected.size()));
        manager.sequence()
            ->record<kp::OpSyncDevice>({a, b})
            ->record<kp::OpConvolve>(a, b, out, Extents{}, Extents{}, part)
            ->record<kp::OpSyncLocal>({out})
            ->eval();
        for (size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(out->data()[i], expected[i], 1e-5f) << i;
    };
    expect(kp::ConvolutionPart::eFull, {1, 2, 2, 2, -3, -4});
    expect(kp::ConvolutionPart::eSame, {2, 2, 2, -3});
    expect(kp::ConvolutionPart::eValid, {2, 2});
    EXPECT_ERROR(kp::InvalidArgument, "overlap", kp::OpConvolve(a, b, a));
}

TEST_F(ConvolveTest, ConvolvesBatchesWithBatches) {
    expectBatches({4}, {1});
    expectBatches({1}, {4});
    expectBatches({4}, {4});
    expectBatches({4, 1}, {1, 3});
    expectBatches({2, 1, 2}, {1, 3, 2});
    expectBatches({2, 3, 2}, {1, 3, 1});
}

TEST_F(ConvolveTest, CutsBatchesThatNoStorageBufferHolds) {
    // A padded spectrum has 40 bytes.
    expectBatches({7}, {1}, 120);
    expectBatches({1}, {7}, 120);
    expectBatches({7}, {7}, 120);
    expectBatches({5, 1}, {1, 3}, 250);
    EXPECT_ERROR(kp::Unsupported, "3 at a time, are too large", expectBatches({5, 1}, {1, 3}, 100));
    EXPECT_ERROR(kp::Unsupported, "are too large for this device", expectBatches({5}, {5}, 30));
}

TEST_F(ConvolveTest, RefusesBatchesAndAxesThatDoNotMatch) {
    const auto a = manager.tensorT<float>(12);
    const auto b = manager.tensorT<float>(9);
    const auto out = manager.tensorT<float>(24);
    const auto make = [&](const Extents& shapeA, const Extents& shapeB,
                          const std::vector<int>& axes) {
        kp::OpConvolve(a, b, out, shapeA, shapeB, kp::ConvolutionPart::eFull, axes);
    };
    EXPECT_ERROR(kp::InvalidArgument, "along axis 0, which is not convolved",
                 make({2, 6}, {3, 3}, {1}));
    EXPECT_ERROR(kp::InvalidArgument, "given twice", make({2, 6}, {3, 3}, {1, -1}));
    EXPECT_ERROR(kp::InvalidArgument, "axis", make({2, 6}, {3, 3}, {2}));
    EXPECT_ERROR(kp::InvalidArgument, "up to three axes", make({1, 1, 2, 6}, {1, 1, 3, 3}, {}));
    EXPECT_ERROR(kp::InvalidArgument, "b has 1", make({2, 6}, {9}, {-1}));
}

} // namespace
} // namespace kp::test
