// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/sequence/Predication.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

/// The state bound in a command buffer. Binding the same again records nothing.
class BoundState {
public:
    BoundState(const vulkan::Device& device, VkCommandBuffer commandBuffer)
        : mDevice(device), mCommandBuffer(commandBuffer) {}

    const vulkan::Device& device() const { return mDevice; }

    /// @param set  may be null
    void bind(const vulkan::Pipeline& pipeline, const vulkan::DescriptorSet* set);
    /// Binds the sets after the first. Call it after bind().
    /// @param sets  of sets 1, 2, ...; null for those without bindings
    void bindFurther(const vulkan::Pipeline& pipeline,
                     std::span<const std::shared_ptr<vulkan::DescriptorSet>> sets);
    void push(const vulkan::Pipeline& pipeline, const void* data, uint32_t bytes);

    /// Records a dispatch of the bound pipeline.
    void dispatch(const std::array<uint32_t, 3>& groups);
    /// Returns the group counts to give to dispatchIndirect(). Call it before bind(), because it
    /// may record other dispatches.
    Predication::Slot indirectCounts(const vulkan::Buffer& counts, uint64_t offset);
    void dispatchIndirect(const Predication::Slot& counts);
    /// What makes dispatches ones that the device can switch off; null: they cannot be.
    Predication* predication() const { return mPredication; }
    void setPredication(Predication* predication) { mPredication = predication; }

    /// Call it after commands recorded elsewhere, which may bind anything.
    void forget();

private:
    const vulkan::Device& mDevice;
    const VkCommandBuffer mCommandBuffer;
    VkPipeline mPipeline = VK_NULL_HANDLE;
    VkPipelineLayout mLayout = VK_NULL_HANDLE;
    const vulkan::DescriptorSet* mSet = nullptr;
    std::vector<unsigned char> mPushed;
    Predication* mPredication = nullptr;
};

} // namespace kp
