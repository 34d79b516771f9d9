// SPDX-License-Identifier: Apache-2.0
#include "operations/BufferKernel.hpp"

#include <algorithm>

#include <ShaderCopyBuffer.hpp>
#include <ShaderFillBuffer.hpp>

#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/StoragePipeline.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/WrittenMemory.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {
namespace {

constexpr uint64_t kBlockBytes = 16;
constexpr uint32_t kGroupSize = 256;                      ///< of both shaders
constexpr uint64_t kTileBytes = kGroupSize * kBlockBytes; ///< per work group

bool canRun(const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    return limits.maxComputeWorkGroupInvocations >= kGroupSize &&
           limits.maxComputeWorkGroupSize[0] >= kGroupSize;
}

BufferKernel::Range wholeOf(const Memory& memory) {
    const vulkan::Buffer& buffer = *implOf(memory).buffer;
    return {&buffer, 0, buffer.fillSize()};
}

} // namespace

bool BufferKernel::takes(const Memory& memory) {
    const Memory::Impl& impl = implOf(memory);
    return impl.buffer && canRun(impl.buffer->device()) &&
           !vulkan::WrittenMemory::follows(*impl.buffer) &&
           impl.memoryType != Memory::MemoryTypes::eHost &&
           impl.buffer->offset() % kBlockBytes == 0 && impl.buffer->fillSize() % 4 == 0;
}

bool BufferKernel::takes(const Range& range) {
    const uint64_t alignment = std::max<uint64_t>(
        kBlockBytes,
        range.buffer->device().physical().properties.limits.minStorageBufferOffsetAlignment);
    return canRun(range.buffer->device()) && !vulkan::WrittenMemory::follows(*range.buffer) &&
           (range.buffer->offset() + range.offset) % alignment == 0 && range.bytes % 4 == 0;
}

std::shared_ptr<const BufferKernel> BufferKernel::make(std::shared_ptr<vulkan::Pipeline> pipeline,
                                                       const std::vector<Range>& ranges,
                                                       uint64_t pattern) {
    vulkan::Device& device = ranges[0].buffer->device();
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    // The library's buffers may end in padding, wrapped ones do not.
    uint64_t bytes = ranges[0].bytes;
    for (const Range& range : ranges)
        bytes = std::min(bytes, range.bytes);
    const uint64_t maxBytes = std::min(uint64_t{limits.maxStorageBufferRange} / kTileBytes,
                                       uint64_t{limits.maxComputeWorkGroupCount[0]}) *
                              kTileBytes;

    auto kernel = std::make_shared<BufferKernel>();
    kernel->mDevice = &device;
    for (uint64_t at = 0; at < bytes; at += maxBytes) {
        const uint64_t size = std::min(maxBytes, bytes - at);
        std::vector<vulkan::DescriptorWrite> writes;
        // The shader has two views of each buffer: blocks of 16 bytes and words.
        for (int view = 0; view < 2; ++view)
            for (const Range& range : ranges) {
                vulkan::DescriptorWrite write;
                write.binding = static_cast<uint32_t>(writes.size());
                write.buffer = {range.buffer->handle(), range.buffer->offset() + range.offset + at,
                                size};
                writes.push_back(write);
            }
        Part part;
        part.set = device.descriptors().create(pipeline->layout(), writes);
        part.push[0] = static_cast<uint32_t>(size / 4);
        part.push[1] = static_cast<uint32_t>(pattern);
        part.push[2] = static_cast<uint32_t>(pattern >> 32);
        part.groups = static_cast<uint32_t>((size + kTileBytes - 1) / kTileBytes);
        kernel->mParts.push_back(std::move(part));
    }
    kernel->mPipeline = std::move(pipeline);
    return kernel;
}

std::shared_ptr<const BufferKernel> BufferKernel::copy(const Range& source,
                                                       const Range& destination) {
    const StoragePipeline copies = storagePipeline(
        source.buffer->device(),
        {.spirv = SHADERCOPYBUFFER_COMP_SPV, .bindings = 4, .pushConstantBytes = 4});
    return make(copies.pipeline, {source, destination}, 0);
}

std::shared_ptr<const BufferKernel> BufferKernel::copy(const Memory& source,
                                                       const Memory& destination) {
    return copy(wholeOf(source), wholeOf(destination));
}

std::shared_ptr<const BufferKernel> BufferKernel::fill(const Memory& memory, uint64_t pattern) {
    const Range whole = wholeOf(memory);
    const StoragePipeline fills = storagePipeline(
        whole.buffer->device(),
        {.spirv = SHADERFILLBUFFER_COMP_SPV, .bindings = 2, .pushConstantBytes = 12});
    return make(fills.pipeline, {whole}, pattern);
}

void BufferKernel::record(const std::shared_ptr<const BufferKernel>& kernel,
                          VkCommandBuffer commandBuffer) {
    const vulkan::Pipeline& pipeline = *kernel->mPipeline;
    Recorder::withBoundState(
        *kernel->mDevice, commandBuffer, [&](BoundState& bound, Recorder* recorder) {
            if (recorder)
                recorder->keep(kernel);
            for (const Part& part : kernel->mParts) {
                bound.bind(pipeline, part.set.get());
                bound.push(pipeline, part.push, pipeline.layout().pushConstantBytes());
                bound.dispatch({part.groups, 1, 1});
            }
        });
}

} // namespace kp
