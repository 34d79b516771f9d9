// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpCopy.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/BufferKernel.hpp"
#include "operations/ByteKernel.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

/// Refuses destinations that share memory, since the copies of one operation have no order.
void requireApart(const std::vector<std::shared_ptr<Memory>>& objects) {
    std::vector<std::pair<MemoryAddress, size_t>> views; // with the index of the object
    for (size_t i = 1; i < objects.size() && objects.size() > 2; ++i)
        for (const std::optional<MemoryAddress>& address : addressesOf(*objects[i]))
            if (address)
                views.emplace_back(*address, i);
    std::sort(views.begin(), views.end());
    const uint64_t bytes = objects[0]->memorySize(); // of each
    for (size_t i = 1; i < views.size(); ++i) {
        const auto& [earlier, first] = views[i - 1];
        const auto& [later, second] = views[i];
        if (later.shares(earlier) && later.start - earlier.start < bytes)
            fail<InvalidArgument>("OpCopy was given objects {} and {}, which share memory; copy to "
                                  "them by an operation each",
                                  std::min(first, second), std::max(first, second));
    }
}

} // namespace

OpCopy::OpCopy(const MemoryObjects& memObjects)
    : mMemObjects(distinctObjects(memObjects.get(), "OpCopy")), mKernels(mMemObjects.size()) {
    makeSkippable();
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
    mByKernel = Recorder::choosesCommands() && !Recorder::predicates() && source.device &&
                source.device->transfer().copiesByKernel(source.bytes()) &&
                std::all_of(mMemObjects.begin(), mMemObjects.end(), takes);
    const Accesses::By by =
        mByKernel || Recorder::predicates() ? Accesses::By::eDispatch : Accesses::By::eTransfer;
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
    requireApart(mMemObjects);
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    Recorder* const recorder = Recorder::active(commands);
    if (Recorder::predicates()) {
        recordKernels(commands);
    } else if (mByKernel && recorder && recorder->records(*this)) {
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

void OpCopy::recordKernels(VkCommandBuffer commandBuffer) {
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        if (memory->type() != Memory::Type::eTensor)
            throw InvalidArgument("OpRepeat copies tensors, but OpCopy was given an image; copy it "
                                  "before or after OpRepeat, or by a shader");
    const std::shared_ptr<vulkan::Buffer>& source = implOf(*mMemObjects[0]).buffer;
    const vulkan::CopiedRange all{0, 0, implOf(*mMemObjects[0]).bytes()};
    for (size_t i = 1; i < mMemObjects.size(); ++i) {
        const std::shared_ptr<vulkan::Buffer>& destination = implOf(*mMemObjects[i]).buffer;
        if (!mKernels[i] || !mKernels[i]->isFor(source, destination))
            mKernels[i] =
                std::make_shared<const ByteKernel>(source, destination, std::span(&all, 1));
        ByteKernel::record(mKernels[i], commandBuffer);
    }
}

void OpCopy::postEval(const vk::CommandBuffer&) {
    for (size_t i = 1; i < mMemObjects.size(); ++i)
        if (mMemObjects[i]->isInit())
            implOf(*mMemObjects[i]).noteEvaluated();
}

} // namespace kp
