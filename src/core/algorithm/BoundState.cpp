// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/BoundState.hpp"

#include <cstring>

#include "vulkan/queue/Commands.hpp"

namespace kp {

void BoundState::bind(const vulkan::Pipeline& pipeline, const vulkan::DescriptorSet* set) {
    if (mPipeline != pipeline.handle()) {
        vulkan::recordBindPipeline(mDevice, mCommandBuffer, pipeline);
        mPipeline = pipeline.handle();
    }
    const VkPipelineLayout layout = pipeline.layout().handle();
    if (mLayout != layout) {
        mLayout = layout;
        mSet = nullptr;
        mPushed.clear();
    }
    if (set && mSet != set) {
        vulkan::recordBindDescriptorSet(mDevice, mCommandBuffer, pipeline, *set);
        mSet = set;
    }
}

void BoundState::bindFurther(const vulkan::Pipeline& pipeline,
                             std::span<const std::shared_ptr<vulkan::DescriptorSet>> sets) {
    for (uint32_t i = 0; i < sets.size(); ++i)
        if (sets[i])
            vulkan::recordBindDescriptorSet(mDevice, mCommandBuffer, pipeline, *sets[i], i + 1);
}

void BoundState::push(const vulkan::Pipeline& pipeline, const void* data, uint32_t bytes) {
    if (mLayout == pipeline.layout().handle() && mPushed.size() == bytes &&
        std::memcmp(mPushed.data(), data, bytes) == 0)
        return;
    vulkan::recordPushConstants(mDevice, mCommandBuffer, pipeline, data, bytes);
    mPushed.assign(static_cast<const unsigned char*>(data),
                   static_cast<const unsigned char*>(data) + bytes);
}

void BoundState::dispatch(const std::array<uint32_t, 3>& groups) {
    if (mPredication) [[unlikely]]
        dispatchIndirect(mPredication->next(groups));
    else
        vulkan::recordDispatch(mDevice, mCommandBuffer, groups);
}

Predication::Slot BoundState::indirectCounts(const vulkan::Buffer& counts, uint64_t offset) {
    const Predication::Slot given{&counts, offset};
    return mPredication ? mPredication->nextIndirect(*this, mCommandBuffer, given) : given;
}

void BoundState::dispatchIndirect(const Predication::Slot& counts) {
    vulkan::recordDispatchIndirect(mDevice, mCommandBuffer, *counts.buffer, counts.offset);
}

void BoundState::forget() {
    mPipeline = VK_NULL_HANDLE;
    mLayout = VK_NULL_HANDLE;
    mSet = nullptr;
    mPushed.clear();
}

} // namespace kp
