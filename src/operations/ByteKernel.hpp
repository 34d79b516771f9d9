// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kompute/Tensor.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {

/// A copy or fill of any bytes by a compute shader, for steps that the device can switch off
/// (Recorder::predicates()): it cannot switch off the driver's copies. Immutable; must outlive
/// command buffers that refer to it.
class ByteKernel {
public:
    using BufferPtr = std::shared_ptr<const vulkan::Buffer>;

    /// @param ranges  that do not overlap
    /// @throws Unsupported if the host application's buffer ends in a part of a word; OutOfMemory
    ByteKernel(BufferPtr source, BufferPtr destination,
               std::span<const vulkan::CopiedRange> ranges);
    /// Fills a range with repetitions of a buffer. @throws as above
    ByteKernel(BufferPtr pattern, BufferPtr destination, uint64_t offset, uint64_t bytes);
    /// Fills a range of a tensor with repetitions of two words. @throws as above
    ByteKernel(uint64_t pattern, const Memory& tensor, uint64_t offset, uint64_t bytes);

    /// Returns true if the kernel writes this buffer, and reads that one unless it fills.
    bool isFor(const BufferPtr& source, const BufferPtr& destination) const {
        return mSource == source && mDestination == destination;
    }
    bool fills(const BufferPtr& destination) const { return mDestination == destination; }
    /// Returns the memory of the two words, which the kernel reads; null if it was given memory.
    const std::shared_ptr<Tensor>& words() const { return mWords; }

    /// Records the kernel into a command buffer. The active recorder keeps it.
    static void record(const std::shared_ptr<const ByteKernel>& kernel,
                       VkCommandBuffer commandBuffer);

private:
    struct Part {
        std::shared_ptr<vulkan::DescriptorSet> set;
        uint32_t push[4] = {};
        uint32_t groups = 0;
    };
    void add(const vulkan::CopiedRange& range, uint64_t period);
    /// For reads of unwritten memory in checked mode.
    void noteWrites(VkCommandBuffer commandBuffer) const;

    ByteKernel(std::shared_ptr<Tensor> words, const Memory& tensor, uint64_t offset,
               uint64_t bytes);

    std::shared_ptr<Tensor> mWords;
    BufferPtr mSource;
    BufferPtr mDestination;
    vulkan::Device& mDevice;
    std::shared_ptr<vulkan::Pipeline> mPipeline;
    std::vector<Part> mParts;
};

} // namespace kp
