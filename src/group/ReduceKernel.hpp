// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Memory.hpp>
#include <kompute/group/Buffer.hpp>

#include "operations/BufferKernel.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp::group {

/// Combines numbers of two buffers: d[i] = op(d[i], s[i]). Numbers of 8 and 16
/// bits are combined in 32 bits and then rounded or truncated once.
class ReduceKernel {
public:
    /// @throws InvalidArgument for bool and structs; Unsupported if the device lacks the type
    static std::shared_ptr<const ReduceKernel> of(vulkan::Device& device, Memory::DataTypes number,
                                                  ReduceOperation operation);

    /// Records the dispatch, without a barrier.
    /// @param destination, source  whole numbers, of one size and at most kMaxBytes
    /// @param kept                 receives the objects to keep alive until the device is done
    void record(VkCommandBuffer commandBuffer, const BufferKernel::Range& destination,
                const BufferKernel::Range& source, vulkan::KeptObjects& kept) const;
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
