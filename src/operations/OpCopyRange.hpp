// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "vulkan/queue/Commands.hpp"

namespace kp {

class ByteKernel;

using vulkan::CopiedRange;

/// Copies bytes from one tensor to another, or within one. The caller has checked the ranges.
class OpCopyRange final : public OpBase {
public:
    OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                std::shared_ptr<Memory> destination, uint64_t destinationOffset, uint64_t bytes);
    OpCopyRange(std::shared_ptr<Memory> source, std::shared_ptr<Memory> destination,
                std::vector<CopiedRange> ranges);
    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::shared_ptr<Memory> mSource;
    std::shared_ptr<Memory> mDestination;
    std::vector<CopiedRange> mRanges;
    std::shared_ptr<const ByteKernel> mKernel; ///< if it was recorded by one
};

} // namespace kp
