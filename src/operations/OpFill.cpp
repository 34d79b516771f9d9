// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpFill.hpp>

#include <algorithm>

#include <ShaderFill64.hpp>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "operations/BufferKernel.hpp"
#include "vulkan/queue/Commands.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

/// Returns a dispatch that repeats two 32-bit words. If one dispatch cannot cover the memory, the
/// shader's invocations loop.
std::shared_ptr<OpAlgoDispatch> fill64(const std::shared_ptr<Memory>& memory, uint64_t pattern) {
    constexpr uint64_t kMaxThreads = 1u << 20;
    auto algorithm = Internals::make<Algorithm>(implOf(*memory).device);
    const std::vector<uint64_t> constants = {pattern};
    algorithm->rebuild(reinterpreted({memory}), SHADERFILL64_COMP_SPV, {}, std::vector<float>{},
                       constants);
    algorithm->setThreadCount(std::min(memory->size(), kMaxThreads));
    return std::make_shared<OpAlgoDispatch>(algorithm);
}

} // namespace

OpFill::OpFill(const MemoryObjects& memObjects, const void* value, size_t bytes)
    : mMemObjects(distinctObjects(memObjects.get(), "OpFill")) {
    for (size_t i = 0; i < sizeof mPattern; i += bytes)
        std::memcpy(reinterpret_cast<unsigned char*>(&mPattern) + i, value, bytes);
    const bool words = static_cast<uint32_t>(mPattern) == mPattern >> 32;
    for (const std::shared_ptr<Memory>& memory : mMemObjects) {
        implOf(*memory).requireAlive();
        if (memory->type() != Memory::Type::eTensor)
            fail<InvalidArgument>("OpFill fills tensors, but was given an image");
        if (memory->dataTypeMemorySize() != bytes)
            fail<InvalidArgument>(
                "OpFill was given a value of {} bytes for a tensor with elements of {} bytes",
                bytes, memory->dataTypeMemorySize());
        if (words && implOf(*memory).buffer->fillSize() % 4 != 0)
            fail<InvalidArgument>("OpFill of a wrapped buffer needs a multiple of 4 bytes, not {}",
                                  memory->memorySize());
        if (!words)
            mDispatches.push_back(fill64(memory, mPattern));
    }
}

OpFill::~OpFill() = default;

Accesses OpFill::accesses() {
    mByKernel = Recorder::choosesCommands() &&
                std::all_of(mMemObjects.begin(), mMemObjects.end(),
                            [](const std::shared_ptr<Memory>& memory) {
                                const Memory::Impl& impl = implOf(*memory);
                                return impl.device &&
                                       impl.device->transfer().fillsByKernel(impl.bytes()) &&
                                       BufferKernel::takes(*memory);
                            });
    const bool dispatches = mByKernel || !mDispatches.empty();
    Accesses accesses;
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        accesses.write(memory, dispatches ? Accesses::By::eDispatch : Accesses::By::eTransfer)
            .copied(true);
    return accesses;
}

void OpFill::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    Recorder* const recorder = Recorder::active(commands);
    if (!Recorder::knowsAccesses(commands))
        for (const std::shared_ptr<Memory>& memory : mMemObjects)
            implOf(*memory).expose();
    if (mByKernel && recorder && recorder->records(*this)) {
        // All are made first, because recorded commands cannot be removed.
        std::vector<std::shared_ptr<const BufferKernel>> kernels;
        for (const std::shared_ptr<Memory>& memory : mMemObjects) {
            implOf(*memory).requireAlive();
            kernels.push_back(BufferKernel::fill(*memory, mPattern));
        }
        for (const std::shared_ptr<const BufferKernel>& kernel : kernels)
            BufferKernel::record(kernel, commands);
    } else if (!mDispatches.empty()) {
        for (const std::shared_ptr<OpAlgoDispatch>& dispatch : mDispatches)
            dispatch->record(commandBuffer);
    } else {
        for (const std::shared_ptr<Memory>& memory : mMemObjects) {
            implOf(*memory).requireAlive();
            vulkan::recordFill(commands, *implOf(*memory).buffer, static_cast<uint32_t>(mPattern));
        }
    }
    Recorder::keepBindings(*this, commands);
}

void OpFill::postEval(const vk::CommandBuffer&) {
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        if (memory->isInit())
            implOf(*memory).noteEvaluated();
}

} // namespace kp
