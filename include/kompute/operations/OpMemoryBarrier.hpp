// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpBase.hpp>

namespace kp {

/// Records an explicit barrier. Sequences order their operations themselves, so this is only needed
/// inside sequences of custom operations whose accesses() return less than "anything".
class KOMPUTE_API OpMemoryBarrier : public OpBase {
public:
    /// @param memObjects        the memory that the barrier covers
    /// @param srcAccess         accesses before the barrier, in @p srcStage
    /// @param dstAccess         accesses after the barrier, in @p dstStage
    /// @param barrierOnPrimary  true: on the device memory; false: on the host mirror, if there is
    ///                          one
    /// @throws InvalidArgument if there are no objects, or one is null
    OpMemoryBarrier(const MemoryObjects& memObjects, const vk::AccessFlagBits& srcAccess,
                    const vk::AccessFlagBits& dstAccess, const vk::PipelineStageFlagBits& srcStage,
                    const vk::PipelineStageFlagBits& dstStage, bool barrierOnPrimary = true);
    ~OpMemoryBarrier() override;

    Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::vector<std::shared_ptr<Memory>> mMemObjects;
    vk::AccessFlagBits mSrcAccess;
    vk::AccessFlagBits mDstAccess;
    vk::PipelineStageFlagBits mSrcStage;
    vk::PipelineStageFlagBits mDstStage;
    bool mBarrierOnPrimary;
};

} // namespace kp
