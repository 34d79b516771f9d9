// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpCopy.hpp>

#include <algorithm>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "operations/BufferKernel.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {

OpCopy::OpCopy(const MemoryObjects& memObjects)
    : mMemObjects(distinctObjects(memObjects.get(), "OpCopy")) {
    if (mMemObjects.size() < 2)
        fail<InvalidArgument>(
            "OpCopy takes a source and at least one destination that is another object, but was "
            "given {}",
            memObjects.get().size() == 1 ? "one object" : "the same object several times");
}

OpCopy::~OpCopy() = default;

Accesses OpCopy::accesses() {
    const auto takes = [](const std::shared_ptr<Memory>& memory) {
        return BufferKernel::takes(*memory);
    };
    const Memory::Impl& source = implOf(*mMemObjects[0]);
    mByKernel = Recorder::choosesCommands() && source.device &&
                source.device->transfer().copiesByKernel(source.bytes()) &&
                std::all_of(mMemObjects.begin(), mMemObjects.end(), takes);
    const Accesses::By by = mByKernel ? Accesses::By::eDispatch : Accesses::By::eTransfer;
    Accesses accesses;
    accesses.read(mMemObjects[0], by);
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        accesses.write(mMemObjects[i], by).copied(true);
    return accesses;
}

void OpCopy::record(const vk::CommandBuffer& commandBuffer) {
    // All are checked and made first, because recorded commands cannot be removed.
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        requireCopyable(*mMemObjects[0], *mMemObjects[i]);
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    Recorder* const recorder = Recorder::active(commands);
    if (mByKernel && recorder && recorder->records(*this)) {
        std::vector<std::shared_ptr<const BufferKernel>> kernels;
        for (size_t i = 1; i < mMemObjects.size(); ++i)
            kernels.push_back(BufferKernel::copy(*mMemObjects[0], *mMemObjects[i]));
        for (const std::shared_ptr<const BufferKernel>& kernel : kernels)
            BufferKernel::record(kernel, commands);
    } else {
        for (size_t i = 1; i < mMemObjects.size(); ++i)
            mMemObjects[i]->recordCopyFrom(commandBuffer, mMemObjects[0]);
    }
    Recorder::keepBindings(*this, commands);
}

void OpCopy::postEval(const vk::CommandBuffer&) {
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        if (mMemObjects[i]->isInit())
            implOf(*mMemObjects[i]).noteEvaluated();
}

} // namespace kp
