// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpSyncDevice.hpp>

#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"

namespace kp {

OpSyncDevice::OpSyncDevice(const MemoryObjects& memObjects)
    : mMemObjects(distinctObjects(memObjects.get(), "OpSyncDevice")) {}

OpSyncDevice::~OpSyncDevice() = default;

Accesses OpSyncDevice::accesses() {
    Accesses accesses;
    for (const std::shared_ptr<Memory>& memory : mMemObjects) {
        implOf(*memory).requireAlive();
        if (!implOf(*memory).mirrored)
            continue;
        accesses.read(memory, Accesses::By::eTransfer, Accesses::Part::eMirror);
        accesses.write(memory, Accesses::By::eTransfer, Accesses::Part::eDevice).copied(true);
    }
    return accesses;
}

void OpSyncDevice::record(const vk::CommandBuffer& commandBuffer) {
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        memory->recordCopyFromStagingToDevice(commandBuffer);
    Recorder::keepBindings(*this, native::handleOf(commandBuffer));
}

void OpSyncDevice::preEval(const vk::CommandBuffer&) {
    // Copying a stale mirror would undo changes of the device memory.
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        if (memory->isInit() && implOf(*memory).mirrored)
            implOf(*memory).mirror().fetchCopies();
}

} // namespace kp
