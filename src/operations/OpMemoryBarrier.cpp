// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpMemoryBarrier.hpp>

#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"

namespace kp {

OpMemoryBarrier::OpMemoryBarrier(const MemoryObjects& memObjects,
                                 const vk::AccessFlagBits& srcAccess,
                                 const vk::AccessFlagBits& dstAccess,
                                 const vk::PipelineStageFlagBits& srcStage,
                                 const vk::PipelineStageFlagBits& dstStage, bool barrierOnPrimary)
    : mMemObjects(distinctObjects(memObjects.get(), "OpMemoryBarrier")), mSrcAccess(srcAccess),
      mDstAccess(dstAccess), mSrcStage(srcStage), mDstStage(dstStage),
      mBarrierOnPrimary(barrierOnPrimary) {
    makeSkippable(); // it changes nothing
}

OpMemoryBarrier::~OpMemoryBarrier() = default;

void OpMemoryBarrier::record(const vk::CommandBuffer& commandBuffer) {
    for (const std::shared_ptr<Memory>& memory : mMemObjects) {
        if (mBarrierOnPrimary)
            memory->recordPrimaryMemoryBarrier(commandBuffer, mSrcAccess, mDstAccess, mSrcStage,
                                               mDstStage);
        else
            memory->recordStagingMemoryBarrier(commandBuffer, mSrcAccess, mDstAccess, mSrcStage,
                                               mDstStage);
    }
    Recorder::keepBindings(*this, native::handleOf(commandBuffer));
}

} // namespace kp
