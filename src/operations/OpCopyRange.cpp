// SPDX-License-Identifier: Apache-2.0
#include "operations/OpCopyRange.hpp"

#include <utility>

#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {

OpCopyRange::OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                         std::shared_ptr<Memory> destination, uint64_t destinationOffset,
                         uint64_t bytes)
    : mSource(std::move(source)), mSourceOffset(sourceOffset), mDestination(std::move(destination)),
      mDestinationOffset(destinationOffset), mBytes(bytes) {}

Accesses OpCopyRange::accesses() {
    Accesses accesses;
    accesses.read(mSource, Accesses::By::eTransfer);
    const bool replaces = mDestinationOffset == 0 && mBytes >= implOf(*mDestination).bytes();
    accesses.write(mDestination, Accesses::By::eTransfer).copied(replaces);
    return accesses;
}

void OpCopyRange::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    vulkan::recordCopyRange(commands, *implOf(*mSource).buffer, mSourceOffset,
                            *implOf(*mDestination).buffer, mDestinationOffset, mBytes);
    Recorder::keepBindings(*this, commands);
}

} // namespace kp
