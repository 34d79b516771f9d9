// SPDX-License-Identifier: Apache-2.0
#include "operations/ByteKernel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <ShaderCopyBytes.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/StoragePipeline.hpp"
#include "vulkan/memory/WrittenMemory.hpp"

namespace kp {
namespace {

constexpr uint64_t kGroupBytes = 128 * sizeof(uint32_t); ///< of a work group of the shader
constexpr uint64_t kMaxGroups = 65535;                   ///< every device has so many
constexpr uint64_t kMaxPart = uint64_t{1} << 30;         ///< the shader counts bytes in 32 bits

/// Returns the bytes that a dispatch writes at most.
uint64_t largestPart(const vulkan::Device& device) {
    const uint64_t range = device.physical().properties.limits.maxStorageBufferRange;
    return std::min(kMaxPart, range / 2) / kGroupBytes * kGroupBytes;
}

std::shared_ptr<Tensor> wordsTensor(const std::shared_ptr<vulkan::Device>& device,
                                    uint64_t pattern) {
    auto buffer = vulkan::Buffer::create(*device, sizeof pattern, vulkan::MemoryPlace::eHost);
    std::memcpy(buffer->mapped(), &pattern, sizeof pattern);
    return tensorOf(device, std::move(buffer), sizeof(uint32_t));
}

/// Returns the view of some bytes, in words.
StorageView wordsOf(const vulkan::Buffer& buffer, uint64_t offset, uint64_t bytes) {
    StorageView view = storageView(buffer, offset, bytes, 1, sizeof(uint32_t));
    if (view.info.range % sizeof(uint32_t) != 0)
        fail<Unsupported>("OpRepeat copies whole words, but a wrapped buffer ends after {} bytes; "
                          "wrap a multiple of 4 bytes",
                          buffer.size());
    return view;
}

} // namespace

ByteKernel::ByteKernel(BufferPtr source, BufferPtr destination,
                       std::span<const vulkan::CopiedRange> ranges)
    : mSource(std::move(source)), mDestination(std::move(destination)),
      mDevice(mDestination->device()),
      mPipeline(storagePipeline(mDevice, {.spirv = SHADERCOPYBYTES_COMP_SPV,
                                          .bindings = 2,
                                          .pushConstantBytes = sizeof(Part::push)})
                    .pipeline) {
    const uint64_t largest = largestPart(mDevice);
    for (const vulkan::CopiedRange& range : ranges)
        for (uint64_t at = 0; at < range.bytes; at += largest) {
            const uint64_t bytes = std::min(largest, range.bytes - at);
            add({range.source + at, range.destination + at, bytes}, bytes);
        }
}

ByteKernel::ByteKernel(BufferPtr pattern, BufferPtr destination, uint64_t offset, uint64_t bytes)
    : ByteKernel(std::move(pattern), std::move(destination), {}) {
    const uint64_t period = mSource->size();
    const uint64_t largest = largestPart(mDevice) / period * period;
    for (uint64_t at = 0; at < bytes; at += largest)
        add({0, offset + at, std::min(largest, bytes - at)}, period);
}

ByteKernel::ByteKernel(uint64_t pattern, const Memory& tensor, uint64_t offset, uint64_t bytes)
    : ByteKernel(wordsTensor(implOf(tensor).device, pattern), tensor, offset, bytes) {}

ByteKernel::ByteKernel(std::shared_ptr<Tensor> words, const Memory& tensor, uint64_t offset,
                       uint64_t bytes)
    : ByteKernel(implOf(*words).buffer, implOf(tensor).buffer, offset, bytes) {
    mWords = std::move(words);
}

void ByteKernel::add(const vulkan::CopiedRange& range, uint64_t period) {
    const StorageView source = wordsOf(*mSource, range.source, std::min(period, range.bytes));
    const StorageView target = wordsOf(*mDestination, range.destination, range.bytes);
    std::vector<vulkan::DescriptorWrite> writes(2);
    writes[0].buffer = source.info;
    writes[1].binding = 1;
    writes[1].buffer = target.info;
    Part part;
    part.set = mDevice.descriptors().create(mPipeline->layout(), writes);
    part.push[0] = source.first;
    part.push[1] = target.first;
    part.push[2] = static_cast<uint32_t>(range.bytes);
    part.push[3] = static_cast<uint32_t>(period);
    part.groups = static_cast<uint32_t>(std::min(kMaxGroups, range.bytes / kGroupBytes + 1));
    mParts.push_back(std::move(part));
}

void ByteKernel::noteWrites(VkCommandBuffer commandBuffer) const {
    if (!vulkan::WrittenMemory::follows(*mDestination)) [[likely]]
        return;
    // Which step writes is not known here, so that all counts as written.
    const vulkan::WrittenMemory::Range all{mDestination.get(), 0, mDestination->size()};
    vulkan::WrittenMemory::recordDispatch(mDevice, commandBuffer, {&all, 1});
}

void ByteKernel::record(const std::shared_ptr<const ByteKernel>& kernel,
                        VkCommandBuffer commandBuffer) {
    Recorder::withBoundState(kernel->mDevice, commandBuffer,
                             [&](BoundState& bound, Recorder* recorder) {
                                 if (recorder)
                                     recorder->keep(kernel);
                                 kernel->noteWrites(commandBuffer);
                                 for (const Part& part : kernel->mParts) {
                                     bound.bind(*kernel->mPipeline, part.set.get());
                                     bound.push(*kernel->mPipeline, part.push, sizeof part.push);
                                     bound.dispatch({part.groups, 1, 1});
                                 }
                             });
}

} // namespace kp
