// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/group/Buffer.hpp>

#include "vulkan/Buffer.hpp"
#include "vulkan/DescriptorAllocator.hpp"
#include "vulkan/PipelineCache.hpp"

namespace kp::group {

/// Joins numbers of one buffer with those of another, one by one: d[i] = op(d[i], s[i]). Numbers of
/// 8 and 16 bits are joined in 32 and rounded, or cut off, once.
class ReduceKernel {
public:
    /// @throws InvalidArgument for bool and structs; Unsupported where the device lacks the type
    static std::shared_ptr<const ReduceKernel> of(vulkan::Device& device, Memory::DataTypes number,
                                                  ReduceOperation operation);

    /// Records the dispatch; adds what it needs to @p kept, to be held until the device is done
    /// with it. No barrier is recorded. Ranges are in bytes, of whole numbers, at most kMaxBytes.
    void record(VkCommandBuffer commandBuffer, const vulkan::Buffer& destination,
                uint64_t destinationOffset, const vulkan::Buffer& source, uint64_t sourceOffset,
                uint64_t bytes, std::vector<std::shared_ptr<const void>>& kept) const;
    static constexpr uint64_t kMaxBytes = 8u << 20;

private:
    ReduceKernel(vulkan::Device& device, uint32_t numberBytes,
                 std::shared_ptr<vulkan::Pipeline> pipeline)
        : mDevice(device), mNumberBytes(numberBytes), mPipeline(std::move(pipeline)) {}

    vulkan::Device& mDevice;
    uint32_t mNumberBytes;
    std::shared_ptr<vulkan::Pipeline> mPipeline;
};

} // namespace kp::group
