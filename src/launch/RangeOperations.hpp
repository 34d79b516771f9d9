// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/operations/OpBase.hpp>

namespace kp {
namespace vulkan {
class Buffer;
}

/// Copies bytes of one tensor to another. The caller has checked the ranges.
class OpCopyRange final : public OpBase {
public:
    OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                std::shared_ptr<Memory> destination, uint64_t destinationOffset, uint64_t bytes);
    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    std::shared_ptr<Memory> mSource;
    uint64_t mSourceOffset;
    std::shared_ptr<Memory> mDestination;
    uint64_t mDestinationOffset;
    uint64_t mBytes;
};

/// Fills a range of a tensor with copies of one element. The caller has checked the range.
class OpFillRange final : public OpBase {
public:
    OpFillRange(std::shared_ptr<Memory> tensor, uint64_t offset, uint64_t bytes,
                const unsigned char* element, size_t elementBytes);
    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    std::shared_ptr<Memory> mTensor;
    uint64_t mOffset;
    uint64_t mBytes;
    uint32_t mWord = 0;                       ///< the pattern, where the device can fill by itself
    std::shared_ptr<vulkan::Buffer> mPattern; ///< else what is copied over and over
};

} // namespace kp
