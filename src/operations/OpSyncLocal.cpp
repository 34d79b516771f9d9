// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpSyncLocal.hpp>

#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"

namespace kp {

OpSyncLocal::OpSyncLocal(const MemoryObjects& memObjects)
    : mMemObjects(distinctObjects(memObjects.get(), "OpSyncLocal")) {}

OpSyncLocal::~OpSyncLocal() = default;

Accesses OpSyncLocal::accesses() {
    Accesses accesses;
    for (const std::shared_ptr<Memory>& memory : mMemObjects) {
        implOf(*memory).requireAlive();
        if (!implOf(*memory).mirrored)
            continue;
        accesses.write(memory, Accesses::By::eTransfer, Accesses::Part::eMirror);
        accesses.read(memory, Accesses::By::eTransfer, Accesses::Part::eDevice);
    }
    return accesses;
}

void OpSyncLocal::record(const vk::CommandBuffer& commandBuffer) {
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        memory->recordCopyFromDeviceToStaging(commandBuffer);
    Recorder::keepBindings(*this, native::handleOf(commandBuffer));
}

void OpSyncLocal::postEval(const vk::CommandBuffer&) {}

} // namespace kp
