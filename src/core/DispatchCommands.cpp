// SPDX-License-Identifier: Apache-2.0
#include "core/DispatchCommands.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/AlgorithmChecks.hpp"
#include "core/MemoryImpl.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {
namespace {

constexpr uint64_t kGroupCountsBytes = 3 * sizeof(uint32_t);

void requireGroupCounts(const Tensor& tensor, uint64_t offset, const vulkan::Device& device) {
    requireSameDevice(tensor, device, "an indirect dispatch");
    const uint64_t bytes = tensor.impl().bytes();
    if (offset % 4 != 0 || offset > bytes || bytes - offset < kGroupCountsBytes)
        fail<InvalidArgument>(
            "the group counts of an indirect dispatch are {} bytes at an offset "
            "that is a multiple of 4; offset {} does not fit a tensor of {} bytes",
            kGroupCountsBytes, offset, bytes);
}

} // namespace

DispatchCommands::DispatchCommands(const OpAlgoDispatch& dispatch)
    : mDispatch(dispatch), mAlgorithm(checked(dispatch)),
      mConstants(mAlgorithm.constantsFor(
          {dispatch.mPushConstants.data(), dispatch.mPushConstants.size()})) {
    if (dispatch.mGroupCounts) [[unlikely]]
        requireGroupCounts(*dispatch.mGroupCounts, dispatch.mGroupCountsOffset, *mAlgorithm.device);
    else
        checkWorkgroup(mAlgorithm.workgroup, *mAlgorithm.device);
    mAlgorithm.refreshBinding();
}

Algorithm::Impl& DispatchCommands::checked(const OpAlgoDispatch& dispatch) {
    if (!dispatch.mAlgorithm)
        throw InvalidArgument("the algorithm to dispatch is null");
    dispatch.mAlgorithm->impl().requireReady();
    return dispatch.mAlgorithm->impl();
}

void DispatchCommands::record(BoundState& bound, VkCommandBuffer commandBuffer) const {
    bound.bind(*mAlgorithm.pipeline, mAlgorithm.binding->setHandle());
    if (!mConstants.empty())
        bound.push(*mAlgorithm.pipeline, mConstants.data(),
                   static_cast<uint32_t>(mConstants.size()));
    if (mDispatch.mGroupCounts) [[unlikely]]
        vulkan::recordDispatchIndirect(*mAlgorithm.device, commandBuffer,
                                       *mDispatch.mGroupCounts->impl().buffer,
                                       mDispatch.mGroupCountsOffset);
    else
        vulkan::recordDispatch(*mAlgorithm.device, commandBuffer, mAlgorithm.workgroup);
}

} // namespace kp
