// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpCopy.hpp>

#include <kompute/Error.hpp>

#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "operations/MemoryList.hpp"

namespace kp {

OpCopy::OpCopy(const std::vector<std::shared_ptr<Memory>>& memObjects)
    : mMemObjects(distinctObjects(memObjects, "OpCopy")) {
    if (mMemObjects.size() < 2)
        throw InvalidArgument(
            "OpCopy takes two objects or more (a source and destinations), but was "
            "given " +
            std::to_string(memObjects.size()) + " objects");
}

OpCopy::~OpCopy() = default;

Accesses OpCopy::accesses() {
    Accesses accesses;
    accesses.read(mMemObjects[0], Accesses::By::eTransfer);
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        accesses.write(mMemObjects[i], Accesses::By::eTransfer);
    return accesses;
}

void OpCopy::record(const vk::CommandBuffer& commandBuffer) {
    // All before any: a command buffer has no way back.
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        requireCopyable(*mMemObjects[0], *mMemObjects[i]);
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        mMemObjects[i]->recordCopyFrom(commandBuffer, mMemObjects[0]);
    if (Recorder* recorder = Recorder::active(native::handleOf(commandBuffer)))
        recorder->keepBindings();
}

void OpCopy::preEval(const vk::CommandBuffer&) {}

void OpCopy::postEval(const vk::CommandBuffer&) {
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        if (mMemObjects[i]->isInit())
            mMemObjects[i]->impl().noteDeviceWrite();
}

} // namespace kp
