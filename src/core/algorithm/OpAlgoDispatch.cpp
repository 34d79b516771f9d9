// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpAlgoDispatch.hpp>

#include <cstring>
#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "core/Native.hpp"
#include "core/algorithm/DispatchCommands.hpp"
#include "core/sequence/OperationClass.hpp"
#include "core/sequence/Recorder.hpp"

namespace kp {

void detail::SmallBytes::assign(const void* data, size_t bytes) {
    std::unique_ptr<unsigned char[]> many;
    if (bytes > mFew.size())
        many = std::make_unique<unsigned char[]>(bytes);
    mMany = std::move(many);
    mSize = static_cast<uint32_t>(bytes);
    if (bytes > 0)
        std::memcpy(mMany ? mMany.get() : mFew.data(), data, bytes);
}

OpAlgoDispatch::OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm, const void* pushConstants,
                               size_t pushConstantBytes, Memory::DataTypes type)
    : mPushType(type), mAlgorithm(std::move(algorithm)),
      mPushConstants(pushConstants, pushConstantBytes) {}

OpAlgoDispatch::OpAlgoDispatch(std::shared_ptr<Algorithm> algorithm,
                               std::shared_ptr<Tensor> groupCounts, uint64_t offset)
    : mAlgorithm(std::move(algorithm)), mGroupCounts(std::move(groupCounts)),
      mGroupCountsOffset(offset) {
    if (!mGroupCounts)
        throw InvalidArgument("the group counts of an indirect dispatch are null");
}

OpAlgoDispatch::~OpAlgoDispatch() = default;

Accesses OpAlgoDispatch::accesses() {
    if (!mAlgorithm)
        return {};
    Accesses accesses = implOf(*mAlgorithm).accesses();
    if (mGroupCounts)
        accesses.read(mGroupCounts, Accesses::By::eIndirect);
    if (isPlainDispatch(*this))
        return accesses;
    Accesses anything = Accesses::anything();
    for (const Accesses::Entry& entry : accesses.entries())
        anything.readWrite(entry.memory, entry.by, entry.part);
    return anything;
}

// A sequence does not call this function for a plain OpAlgoDispatch. Derived classes, operations
// with a dispatch as a part, and programs with a command buffer of their own do.
void OpAlgoDispatch::record(const vk::CommandBuffer& commandBuffer) {
    const DispatchCommands commands(*this);
    const VkCommandBuffer handle = native::handleOf(commandBuffer);
    const Recorder* const caller = Recorder::active(handle);
    if (!Recorder::knowsAccesses(handle) && !(caller && caller->records(*this)))
        commands.algorithm().exposeMemory();
    Recorder::withBoundState(*commands.algorithm().device, handle,
                             [&](BoundState& bound, Recorder* recorder) {
                                 if (recorder)
                                     recorder->keepBinding(commands.binding());
                                 commands.record(bound, handle);
                             });
}

} // namespace kp
