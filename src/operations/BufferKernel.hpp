// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Memory.hpp>

#include "vulkan/Buffer.hpp"
#include "vulkan/DescriptorAllocator.hpp"
#include "vulkan/PipelineCache.hpp"

namespace kp {

/// A copy or fill of the whole device memory of a tensor, or of a part of a buffer, by a compute
/// shader, ready to be recorded: to the last byte and never beyond it, in as many dispatches as the
/// device's limits ask for. Never changed once made; a command buffer that holds it keeps it alive.
class BufferKernel {
public:
    /// A part of a buffer. Bytes.
    struct Range {
        const vulkan::Buffer* buffer = nullptr;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    /// True where a shader can copy or fill this memory and where it makes sense: the device memory
    /// of a tensor, which is not memory of the host, in whole words of 4 bytes and aligned to the
    /// shader's 16. (A tensor of the library's own is always in whole words: it ends in padding.)
    static bool takes(const Memory& memory);
    /// The same of a part of device memory.
    static bool takes(const Range& range);

    /// @param source, destination  of one size, which takes() is true for
    /// @throws OutOfMemory, ...
    static std::shared_ptr<const BufferKernel> copy(const Memory& source,
                                                    const Memory& destination);
    static std::shared_ptr<const BufferKernel> copy(const Range& source, const Range& destination);
    /// @param pattern  repeated from the beginning of the memory on
    static std::shared_ptr<const BufferKernel> fill(const Memory& memory, uint64_t pattern);

    /// Records @p kernel with the recorder that is active for this command buffer. Throws nothing
    /// but std::bad_alloc.
    static void record(const std::shared_ptr<const BufferKernel>& kernel,
                       VkCommandBuffer commandBuffer);
    /// Records it where no recorder is: whoever calls keeps the kernel until the device is done.
    void recordAlone(VkCommandBuffer commandBuffer) const;

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
