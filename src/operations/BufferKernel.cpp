// SPDX-License-Identifier: Apache-2.0
#include "operations/BufferKernel.hpp"

#include <algorithm>
#include <span>

#include <ShaderCopyBuffer.hpp>
#include <ShaderFillBuffer.hpp>

#include "core/MemoryImpl.hpp"
#include "core/Recorder.hpp"
#include "shader/Hash.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/Device.hpp"

namespace kp {
namespace {

constexpr uint64_t kTileBytes = 256 * 16; ///< of one work group

std::shared_ptr<vulkan::Pipeline> pipelineOf(vulkan::Device& device,
                                             std::span<const uint32_t> spirv, uint32_t bindings,
                                             uint32_t pushBytes) {
    std::vector<vulkan::DescriptorBinding> layout;
    for (uint32_t i = 0; i < bindings; ++i)
        layout.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    const shader::Hash hash = shader::hashBytes(spirv.data(), spirv.size_bytes());
    vulkan::PipelineRequest request;
    request.spirv = spirv;
    request.spirvHash = {hash.low, hash.high};
    request.layout = device.pipelines().layout(std::move(layout), pushBytes);
    return device.pipelines().pipeline(request);
}

} // namespace

bool BufferKernel::takes(const Memory& memory) {
    constexpr uint64_t kBlockBytes = 16;
    const Memory::Impl& impl = memory.impl();
    return impl.buffer && impl.memoryType != Memory::MemoryTypes::eHost &&
           impl.buffer->offset() % kBlockBytes == 0 && impl.buffer->fillSize() % 4 == 0;
}

std::shared_ptr<const BufferKernel>
BufferKernel::make(std::shared_ptr<vulkan::Pipeline> pipeline,
                   const std::vector<const vulkan::Buffer*>& buffers, uint64_t pattern) {
    vulkan::Device& device = buffers[0]->device();
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    // Of a buffer of the library's own and one that is wrapped, one may end in padding.
    uint64_t bytes = buffers[0]->fillSize();
    for (const vulkan::Buffer* buffer : buffers)
        bytes = std::min(bytes, buffer->fillSize());
    const uint64_t most = std::min(uint64_t{limits.maxStorageBufferRange} / kTileBytes,
                                   uint64_t{limits.maxComputeWorkGroupCount[0]}) *
                          kTileBytes;

    auto kernel = std::make_shared<BufferKernel>();
    kernel->mDevice = &device;
    for (uint64_t at = 0; at < bytes; at += most) {
        const uint64_t size = std::min(most, bytes - at);
        std::vector<vulkan::DescriptorWrite> writes;
        // Each buffer twice: in blocks of 16 bytes and in words.
        for (int view = 0; view < 2; ++view)
            for (const vulkan::Buffer* buffer : buffers) {
                vulkan::DescriptorWrite write;
                write.binding = static_cast<uint32_t>(writes.size());
                write.buffer = {buffer->handle(), buffer->offset() + at, size};
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

std::shared_ptr<const BufferKernel> BufferKernel::copy(const Memory& source,
                                                       const Memory& destination) {
    const vulkan::Buffer& from = *source.impl().buffer;
    const vulkan::Buffer& to = *destination.impl().buffer;
    return make(pipelineOf(from.device(), SHADERCOPYBUFFER_COMP_SPV, 4, 4), {&from, &to}, 0);
}

std::shared_ptr<const BufferKernel> BufferKernel::fill(const Memory& memory, uint64_t pattern) {
    const vulkan::Buffer& buffer = *memory.impl().buffer;
    return make(pipelineOf(buffer.device(), SHADERFILLBUFFER_COMP_SPV, 2, 12), {&buffer}, pattern);
}

void BufferKernel::record(const std::shared_ptr<const BufferKernel>& kernel,
                          VkCommandBuffer commandBuffer) {
    Recorder& recorder = *Recorder::active(commandBuffer);
    recorder.keep(kernel);
    const vulkan::Pipeline& pipeline = *kernel->mPipeline;
    for (const Part& part : kernel->mParts) {
        recorder.bind(pipeline, part.set->handle());
        recorder.push(pipeline, part.push, pipeline.layout().pushConstantBytes());
        vulkan::recordDispatch(*kernel->mDevice, commandBuffer, {part.groups, 1, 1});
    }
}

} // namespace kp
