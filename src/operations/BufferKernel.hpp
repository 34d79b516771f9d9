// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Memory.hpp>

#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

/// A copy or fill by a compute shader, ready to be recorded: of a tensor's whole device memory, or
/// of a part of a buffer. Ends exactly at the last byte. Consists of as many dispatches as the
/// device's limits require. Immutable; must outlive command buffers that refer to it.
class BufferKernel {
public:
    struct Range { ///< bytes
        const vulkan::Buffer* buffer = nullptr;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    /// Returns true if a shader can copy or fill this memory, and faster than a transfer command:
    /// the device memory of a tensor, outside of host memory, a multiple of 4 bytes and aligned to
    /// 16. (The library's own tensors always are multiples of 4 bytes, with their padding.) Checked
    /// mode follows transfer commands alone.
    static bool takes(const Memory& memory);
    /// Returns true if a shader can copy or fill a part of device memory.
    static bool takes(const Range& range);

    /// @param source, destination  accepted by takes(), and of one size
    /// @throws OutOfMemory
    static std::shared_ptr<const BufferKernel> copy(const Memory& source,
                                                    const Memory& destination);
    static std::shared_ptr<const BufferKernel> copy(const Range& source, const Range& destination);
    /// @param pattern  repeated from the start of the memory
    static std::shared_ptr<const BufferKernel> fill(const Memory& memory, uint64_t pattern);

    /// Records @p kernel. If a recorder is active for the command buffer, it keeps the kernel
    /// alive; otherwise the caller does, until the device has finished. Throws nothing but
    /// std::bad_alloc.
    static void record(const std::shared_ptr<const BufferKernel>& kernel,
                       VkCommandBuffer commandBuffer);

private:
    struct Part {
        std::shared_ptr<vulkan::DescriptorSet> set;
        uint32_t push[3] = {}; ///< words, and the pattern of a fill
        uint32_t groups = 0;
    };

    static std::shared_ptr<const BufferKernel> make(std::shared_ptr<vulkan::Pipeline> pipeline,
                                                    const std::vector<Range>& ranges,
                                                    uint64_t pattern);

    vulkan::Device* mDevice = nullptr;
    std::shared_ptr<vulkan::Pipeline> mPipeline;
    std::vector<Part> mParts;
};

} // namespace kp
