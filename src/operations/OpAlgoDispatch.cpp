// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpAlgoDispatch.hpp>

#include <cstring>
#include <span>
#include <typeinfo>
#include <utility>

#include <kompute/Error.hpp>

#include "core/AlgorithmImpl.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "vulkan/Commands.hpp"

namespace kp {
namespace {

constexpr uint64_t kGroupCountsBytes = 3 * sizeof(uint32_t);

void requireGroupCounts(Tensor& tensor, uint64_t offset, const vulkan::Device& device) {
    requireSameDevice(tensor, device, "an indirect dispatch");
    if (offset % 4 != 0 || offset > tensor.memorySize() ||
        tensor.memorySize() - offset < kGroupCountsBytes)
        throw InvalidArgument("the group counts of an indirect dispatch are " +
                              std::to_string(kGroupCountsBytes) +
                              " bytes at an offset that is a "
                              "multiple of 4; offset " +
                              std::to_string(offset) + " does not fit a tensor of " +
                              std::to_string(tensor.memorySize()) + " bytes");
}

} // namespace

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
                               size_t pushConstantBytes)
    : mAlgorithm(std::move(algorithm)), mPushConstants(pushConstants, pushConstantBytes) {}

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
    Accesses accesses = mAlgorithm->impl().accesses();
    if (mGroupCounts)
        accesses.read(mGroupCounts, Accesses::By::eIndirect);
    if (typeid(*this) == typeid(OpAlgoDispatch))
        return accesses;
    Accesses anything = Accesses::anything();
    for (const Accesses::Entry& entry : accesses.entries())
        anything.readWrite(entry.memory, entry.by, entry.part);
    return anything;
}

void OpAlgoDispatch::record(const vk::CommandBuffer& commandBuffer) {
    if (!mAlgorithm)
        throw InvalidArgument("the algorithm to dispatch is null");
    Algorithm::Impl& algorithm = mAlgorithm->impl();
    algorithm.requireReady();
    const std::span<const unsigned char> constants =
        algorithm.constantsFor({mPushConstants.data(), mPushConstants.size()});
    if (mGroupCounts)
        requireGroupCounts(*mGroupCounts, mGroupCountsOffset, *algorithm.device);

    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    algorithm.recordBind(commands);
    algorithm.recordPush(commands, constants);
    if (mGroupCounts)
        vulkan::recordDispatchIndirect(*algorithm.device, commands, *mGroupCounts->impl().buffer,
                                       mGroupCountsOffset);
    else
        algorithm.recordDispatch(commands);
    Recorder* recorder = Recorder::active(commands);
    if (recorder && typeid(*this) == typeid(OpAlgoDispatch)) {
        recorder->keepBindings(*this);
        recorder->withoutHooks(*this);
    }
}

void OpAlgoDispatch::preEval(const vk::CommandBuffer&) {}

void OpAlgoDispatch::postEval(const vk::CommandBuffer&) {}

} // namespace kp
