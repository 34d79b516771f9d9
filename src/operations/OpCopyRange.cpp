// SPDX-License-Identifier: Apache-2.0
#include "operations/OpCopyRange.hpp"

#include <utility>

#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"

namespace kp {

OpCopyRange::OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                         std::shared_ptr<Memory> destination, uint64_t destinationOffset,
                         uint64_t bytes)
    : OpCopyRange(std::move(source), std::move(destination),
                  {{sourceOffset, destinationOffset, bytes}}) {}

OpCopyRange::OpCopyRange(std::shared_ptr<Memory> source, std::shared_ptr<Memory> destination,
                         std::vector<CopiedRange> ranges)
    : mSource(std::move(source)), mDestination(std::move(destination)), mRanges(std::move(ranges)) {
}

Accesses OpCopyRange::accesses() {
    Accesses accesses;
    accesses.read(mSource, Accesses::By::eTransfer);
    const bool replaces = mRanges.size() == 1 && mRanges[0].destination == 0 &&
                          mRanges[0].bytes >= implOf(*mDestination).bytes();
    accesses.write(mDestination, Accesses::By::eTransfer).copied(replaces);
    return accesses;
}

void OpCopyRange::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    vulkan::recordCopies(commands, *implOf(*mSource).buffer, *implOf(*mDestination).buffer,
                         mRanges);
    Recorder::keepBindings(*this, commands);
}

} // namespace kp
