// SPDX-License-Identifier: Apache-2.0
#include "operations/OpCopyRange.hpp"

#include <utility>

#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/ByteKernel.hpp"

namespace kp {

OpCopyRange::OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                         std::shared_ptr<Memory> destination, uint64_t destinationOffset,
                         uint64_t bytes)
    : OpCopyRange(std::move(source), std::move(destination),
                  {{sourceOffset, destinationOffset, bytes}}) {}

OpCopyRange::OpCopyRange(std::shared_ptr<Memory> source, std::shared_ptr<Memory> destination,
                         std::vector<CopiedRange> ranges)
    : mSource(std::move(source)), mDestination(std::move(destination)), mRanges(std::move(ranges)) {
    makeSkippable();
}

Accesses OpCopyRange::accesses() {
    const Accesses::By by =
        Recorder::predicates() ? Accesses::By::eDispatch : Accesses::By::eTransfer;
    Accesses accesses;
    accesses.read(mSource, by);
    const bool replaces = mRanges.size() == 1 && mRanges[0].destination == 0 &&
                          mRanges[0].bytes >= implOf(*mDestination).bytes();
    accesses.write(mDestination, by).copied(replaces);
    return accesses;
}

void OpCopyRange::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    const std::shared_ptr<vulkan::Buffer>& source = implOf(*mSource).buffer;
    const std::shared_ptr<vulkan::Buffer>& destination = implOf(*mDestination).buffer;
    if (Recorder::predicates()) {
        if (!mKernel || !mKernel->isFor(source, destination))
            mKernel = std::make_shared<const ByteKernel>(source, destination, mRanges);
        ByteKernel::record(mKernel, commands);
    } else {
        vulkan::recordCopies(commands, *source, *destination, mRanges);
    }
    Recorder::keepBindings(*this, commands);
}

} // namespace kp
