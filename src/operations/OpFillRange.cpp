// SPDX-License-Identifier: Apache-2.0
#include "operations/OpFillRange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/ByteKernel.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {

OpFillRange::OpFillRange(std::shared_ptr<Memory> tensor, uint64_t offset, uint64_t bytes,
                         const unsigned char* element, size_t elementBytes)
    : mTensor(std::move(tensor)), mOffset(offset), mBytes(bytes) {
    makeSkippable();
    const vulkan::Buffer& buffer = *implOf(*mTensor).buffer;
    // A fill to the end may include the padding.
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
    const std::shared_ptr<vulkan::Device>& device = implOf(*mTensor).device;
    auto pattern =
        vulkan::Buffer::create(*device, copies * elementBytes, vulkan::MemoryPlace::eHost);
    for (uint64_t i = 0; i < copies; ++i)
        std::memcpy(static_cast<unsigned char*>(pattern->mapped()) + i * elementBytes, element,
                    elementBytes);
    mPattern = tensorOf(device, std::move(pattern), 1);
}

Accesses OpFillRange::accesses() {
    Accesses accesses;
    const bool replaces = mOffset == 0 && mBytes >= implOf(*mTensor).bytes();
    const bool byKernel = Recorder::predicates();
    if (byKernel)
        makeKernel();
    const Accesses::By by = byKernel ? Accesses::By::eDispatch : Accesses::By::eTransfer;
    accesses.write(mTensor, by).copied(replaces);
    if (mPattern)
        accesses.read(mPattern, by);
    else if (byKernel)
        accesses.read(mKernel->words());
    return accesses;
}

void OpFillRange::makeKernel() {
    const std::shared_ptr<vulkan::Buffer>& buffer = implOf(*mTensor).buffer;
    if (mKernel && mKernel->fills(buffer))
        return;
    mKernel = mPattern ? std::make_shared<const ByteKernel>(implOf(*mPattern).buffer, buffer,
                                                            mOffset, mBytes)
                       : std::make_shared<const ByteKernel>(uint64_t{mWord} << 32 | mWord, *mTensor,
                                                            mOffset, mBytes);
}

void OpFillRange::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    const vulkan::Buffer& buffer = *implOf(*mTensor).buffer;
    if (Recorder::predicates()) {
        makeKernel();
        ByteKernel::record(mKernel, commands);
    } else if (mPattern) {
        vulkan::recordRepeat(commands, *implOf(*mPattern).buffer, buffer, mOffset, mBytes);
        if (Recorder* const recorder = Recorder::active(commands))
            recorder->keep(implOf(*mPattern).buffer);
    } else {
        vulkan::recordFillRange(commands, buffer, mOffset, mBytes, mWord);
    }
    Recorder::keepBindings(*this, commands);
}

} // namespace kp
