// SPDX-License-Identifier: Apache-2.0
#include "launch/RangeOperations.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "vulkan/RangeCommands.hpp"

namespace kp {

OpCopyRange::OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                         std::shared_ptr<Memory> destination, uint64_t destinationOffset,
                         uint64_t bytes)
    : mSource(std::move(source)), mSourceOffset(sourceOffset), mDestination(std::move(destination)),
      mDestinationOffset(destinationOffset), mBytes(bytes) {}

Accesses OpCopyRange::accesses() {
    Accesses accesses;
    accesses.read(mSource, Accesses::By::eTransfer);
    accesses.write(mDestination, Accesses::By::eTransfer);
    return accesses;
}

void OpCopyRange::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    vulkan::recordCopyRange(commands, *mSource->impl().buffer, mSourceOffset,
                            *mDestination->impl().buffer, mDestinationOffset, mBytes);
    if (Recorder* recorder = Recorder::active(commands))
        recorder->keepBindings(*this);
}

void OpCopyRange::preEval(const vk::CommandBuffer&) {}

void OpCopyRange::postEval(const vk::CommandBuffer&) {}

OpFillRange::OpFillRange(std::shared_ptr<Memory> tensor, uint64_t offset, uint64_t bytes,
                         const unsigned char* element, size_t elementBytes)
    : mTensor(std::move(tensor)), mOffset(offset), mBytes(bytes) {
    const vulkan::Buffer& buffer = *mTensor->impl().buffer;
    // A fill to the end may go on over the padding.
    const bool toTheEnd = offset + bytes == buffer.size() && buffer.fillSize() % 4 == 0;
    uint64_t twoWords = 0;
    const bool repeats = elementBytes <= 8 && 8 % elementBytes == 0;
    for (size_t i = 0; repeats && i < 8; i += elementBytes)
        std::memcpy(reinterpret_cast<unsigned char*>(&twoWords) + i, element, elementBytes);
    if (repeats && static_cast<uint32_t>(twoWords) == twoWords >> 32 && offset % 4 == 0 &&
        buffer.offset() % 4 == 0 && (bytes % 4 == 0 || toTheEnd)) {
        mWord = static_cast<uint32_t>(twoWords);
        mBytes = toTheEnd ? buffer.fillSize() - offset : bytes;
        return;
    }
    constexpr uint64_t kPatternBytes = 64 * 1024;
    const uint64_t copies = std::max<uint64_t>(1, std::min(bytes, kPatternBytes) / elementBytes);
    mPattern = vulkan::Buffer::create(*mTensor->impl().device, copies * elementBytes,
                                      vulkan::MemoryPlace::eHost);
    for (uint64_t i = 0; i < copies; ++i)
        std::memcpy(static_cast<unsigned char*>(mPattern->mapped()) + i * elementBytes, element,
                    elementBytes);
}

Accesses OpFillRange::accesses() {
    Accesses accesses;
    accesses.write(mTensor, Accesses::By::eTransfer);
    return accesses;
}

void OpFillRange::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    Recorder* const recorder = Recorder::active(commands);
    const vulkan::Buffer& buffer = *mTensor->impl().buffer;
    if (mPattern) {
        vulkan::recordRepeat(commands, *mPattern, buffer, mOffset, mBytes);
        if (recorder)
            recorder->keep(mPattern);
    } else {
        vulkan::recordFillRange(commands, buffer, mOffset, mBytes, mWord);
    }
    if (recorder)
        recorder->keepBindings(*this);
}

void OpFillRange::preEval(const vk::CommandBuffer&) {}

void OpFillRange::postEval(const vk::CommandBuffer&) {}

} // namespace kp
