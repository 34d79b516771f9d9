// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/Queue.hpp"

namespace kp::benchmark {

/// What a programmer would write by hand: buffers, one pipeline with one storage buffer at binding
/// 0, command buffers, and a timeline semaphore to wait on. It uses a Manager's VkDevice and
/// VkQueue, since some drivers take long to switch between two devices, and nothing else of the
/// library. Everything is freed with it; errors throw std::runtime_error.
class RawCompute {
public:
    RawCompute(const kp::Manager& manager, vulkan::WaitMode waitMode,
               const std::vector<uint32_t>& spirv, size_t buffers, uint64_t bytesEach)
        : mDevice(vulkan::Device::find(manager.nativeDevice())), mVk(mDevice->vk()),
          mQueue(manager.nativeQueue()), mFamily(manager.queueFamily()), mWaitMode(waitMode) {
        makePipeline(spirv, static_cast<uint32_t>(buffers));
        makeBuffers(buffers, bytesEach);
        VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
        require(mVk.vkCreateSemaphore(device(), &info, nullptr, &mSemaphore));
        VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        pool.queueFamilyIndex = mFamily;
        require(mVk.vkCreateCommandPool(device(), &pool, nullptr, &mCommandPool));
        VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocate.commandPool = mCommandPool;
        allocate.commandBufferCount = 1;
        require(mVk.vkAllocateCommandBuffers(device(), &allocate, &mCommandBuffer));
    }

    ~RawCompute() {
        mVk.vkQueueWaitIdle(mQueue);
        mVk.vkDestroyCommandPool(device(), mCommandPool, nullptr);
        mVk.vkDestroySemaphore(device(), mSemaphore, nullptr);
        mVk.vkDestroyDescriptorPool(device(), mDescriptorPool, nullptr);
        for (const VkBuffer buffer : mBuffers)
            mVk.vkDestroyBuffer(device(), buffer, nullptr);
        mVk.vkFreeMemory(device(), mMemory, nullptr);
        mVk.vkDestroyPipeline(device(), mPipeline, nullptr);
        mVk.vkDestroyPipelineLayout(device(), mLayout, nullptr);
        mVk.vkDestroyDescriptorSetLayout(device(), mSetLayout, nullptr);
    }
    RawCompute(const RawCompute&) = delete;
    RawCompute& operator=(const RawCompute&) = delete;

    /// Records @p count dispatches of one work group: each on a buffer of its own, or all on the
    /// first with a barrier between them.
    void record(size_t count, bool dependent) {
        require(mVk.vkResetCommandPool(device(), mCommandPool, 0));
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        require(mVk.vkBeginCommandBuffer(mCommandBuffer, &begin));
        barrier();
        mVk.vkCmdBindPipeline(mCommandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, mPipeline);
        for (size_t i = 0; i < count; ++i) {
            if (dependent && i > 0)
                barrier();
            if (!dependent || i == 0)
                mVk.vkCmdBindDescriptorSets(mCommandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, mLayout,
                                            0, 1, &mSets[dependent ? 0 : i], 0, nullptr);
            mVk.vkCmdDispatch(mCommandBuffer, 1, 1, 1);
        }
        require(mVk.vkEndCommandBuffer(mCommandBuffer));
    }

    /// Submits what is recorded and waits for it.
    void evaluate() {
        ++mValue;
        VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
        timeline.signalSemaphoreValueCount = 1;
        timeline.pSignalSemaphoreValues = &mValue;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &timeline};
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &mCommandBuffer;
        submit.signalSemaphoreCount = 1;
        submit.pSignalSemaphores = &mSemaphore;
        require(mVk.vkQueueSubmit(mQueue, 1, &submit, VK_NULL_HANDLE));
        wait();
    }

private:
    VkDevice device() const { return mDevice->handle(); }

    static void require(VkResult result) {
        if (result < 0)
            throw std::runtime_error("raw Vulkan: VkResult " + std::to_string(result));
    }

    void barrier() {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
        mVk.vkCmdPipelineBarrier(mCommandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr,
                                 0, nullptr);
    }

    bool reached() {
        uint64_t value = 0;
        require(mVk.vkGetSemaphoreCounterValue(device(), mSemaphore, &value));
        return value >= mValue;
    }

    /// In the manner of the library's wait policies.
    void wait() {
        if (mWaitMode != vulkan::WaitMode::eBlock) {
            const auto start = std::chrono::steady_clock::now();
            do {
                for (int i = 0; i < 16; ++i)
                    if (reached())
                        return;
            } while (mWaitMode == vulkan::WaitMode::eSpin ||
                     std::chrono::steady_clock::now() - start < std::chrono::microseconds(100));
        }
        VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
        info.semaphoreCount = 1;
        info.pSemaphores = &mSemaphore;
        info.pValues = &mValue;
        require(mVk.vkWaitSemaphores(device(), &info, UINT64_MAX));
    }

    void makePipeline(const std::vector<uint32_t>& spirv, uint32_t sets) {
        const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        VkDescriptorSetLayoutCreateInfo setInfo{
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        setInfo.bindingCount = 1;
        setInfo.pBindings = &binding;
        require(mVk.vkCreateDescriptorSetLayout(device(), &setInfo, nullptr, &mSetLayout));
        VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        layout.setLayoutCount = 1;
        layout.pSetLayouts = &mSetLayout;
        require(mVk.vkCreatePipelineLayout(device(), &layout, nullptr, &mLayout));
        VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        moduleInfo.codeSize = spirv.size() * sizeof(uint32_t);
        moduleInfo.pCode = spirv.data();
        VkShaderModule module = VK_NULL_HANDLE;
        require(mVk.vkCreateShaderModule(device(), &moduleInfo, nullptr, &module));
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module;
        info.stage.pName = "main";
        info.layout = mLayout;
        require(
            mVk.vkCreateComputePipelines(device(), VK_NULL_HANDLE, 1, &info, nullptr, &mPipeline));
        mVk.vkDestroyShaderModule(device(), module, nullptr);

        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets};
        VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        pool.maxSets = sets;
        pool.poolSizeCount = 1;
        pool.pPoolSizes = &size;
        require(mVk.vkCreateDescriptorPool(device(), &pool, nullptr, &mDescriptorPool));
        const std::vector<VkDescriptorSetLayout> layouts(sets, mSetLayout);
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocate.descriptorPool = mDescriptorPool;
        allocate.descriptorSetCount = sets;
        allocate.pSetLayouts = layouts.data();
        mSets.resize(sets);
        require(mVk.vkAllocateDescriptorSets(device(), &allocate, mSets.data()));
    }

    void makeBuffers(size_t count, uint64_t bytesEach) {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = bytesEach;
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        mBuffers.resize(count);
        for (VkBuffer& buffer : mBuffers)
            require(mVk.vkCreateBuffer(device(), &info, nullptr, &buffer));
        VkMemoryRequirements needed{};
        mVk.vkGetBufferMemoryRequirements(device(), mBuffers[0], &needed);
        const uint64_t step =
            (needed.size + needed.alignment - 1) / needed.alignment * needed.alignment;
        const VkPhysicalDeviceMemoryProperties& types = mDevice->physical().memory;
        VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocate.allocationSize = step * count;
        while (!(needed.memoryTypeBits & (1u << allocate.memoryTypeIndex)) ||
               !(types.memoryTypes[allocate.memoryTypeIndex].propertyFlags &
                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
            ++allocate.memoryTypeIndex;
        require(mVk.vkAllocateMemory(device(), &allocate, nullptr, &mMemory));
        for (size_t i = 0; i < count; ++i) {
            require(mVk.vkBindBufferMemory(device(), mBuffers[i], mMemory, step * i));
            const VkDescriptorBufferInfo bound{mBuffers[i], 0, VK_WHOLE_SIZE};
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = mSets[i];
            write.descriptorCount = 1;
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &bound;
            mVk.vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
        }
    }

    std::shared_ptr<vulkan::Device> mDevice;
    const VolkDeviceTable& mVk;
    VkQueue mQueue;
    uint32_t mFamily;
    vulkan::WaitMode mWaitMode;
    VkDescriptorSetLayout mSetLayout = VK_NULL_HANDLE;
    VkPipelineLayout mLayout = VK_NULL_HANDLE;
    VkPipeline mPipeline = VK_NULL_HANDLE;
    VkDescriptorPool mDescriptorPool = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> mSets;
    std::vector<VkBuffer> mBuffers;
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    VkSemaphore mSemaphore = VK_NULL_HANDLE;
    VkCommandPool mCommandPool = VK_NULL_HANDLE;
    VkCommandBuffer mCommandBuffer = VK_NULL_HANDLE;
    uint64_t mValue = 0;
};

} // namespace kp::benchmark
