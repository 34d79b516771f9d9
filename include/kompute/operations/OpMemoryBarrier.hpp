// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpBase.hpp>

namespace kp {

/// A barrier placed by hand. Sequences order their operations by themselves, so this is needed only
/// inside sequences of custom operations that say more precisely than "anything" what they touch.
class KOMPUTE_API OpMemoryBarrier : public OpBase {
public:
    /// @param barrierOnPrimary  on the device memory; false: on the host mirror, and nothing where
    ///                          there is none
    OpMemoryBarrier(const std::vector<std::shared_ptr<Memory>>& memObjects,
                    const vk::AccessFlagBits& srcAccess, const vk::AccessFlagBits& dstAccess,
                    const vk::PipelineStageFlagBits& srcStage,
                    const vk::PipelineStageFlagBits& dstStage, bool barrierOnPrimary = true);
    template <typename M, typename = detail::EnableForDerived<M>>
    OpMemoryBarrier(const std::vector<std::shared_ptr<M>>& memObjects,
                    const vk::AccessFlagBits& srcAccess, const vk::AccessFlagBits& dstAccess,
                    const vk::PipelineStageFlagBits& srcStage,
                    const vk::PipelineStageFlagBits& dstStage, bool barrierOnPrimary = true)
        : OpMemoryBarrier(detail::toMemory(memObjects), srcAccess, dstAccess, srcStage, dstStage,
                          barrierOnPrimary) {}
    ~OpMemoryBarrier() override;

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    std::vector<std::shared_ptr<Memory>> mMemObjects;
    vk::AccessFlagBits mSrcAccess;
    vk::AccessFlagBits mDstAccess;
    vk::PipelineStageFlagBits mSrcStage;
    vk::PipelineStageFlagBits mDstStage;
    bool mBarrierOnPrimary;
};

} // namespace kp
