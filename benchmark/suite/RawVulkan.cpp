// SPDX-License-Identifier: Apache-2.0
#include "RawVulkan.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "../Measure.hpp"
#include "../MemoryType.hpp"
#include "vulkan/device/DeviceRegistry.hpp"

namespace kp::benchmark {

// --- RawQueue -----------------------------------------------------------------------------------

RawQueue::RawQueue(const kp::Manager& manager, vulkan::WaitMode waitMode, uint32_t queueIndex)
    : mDevice(vulkan::findDevice(manager.nativeDevice())), mVk(mDevice->vk()),
      mQueue(manager.nativeQueue(queueIndex)), mFamily(manager.queueFamily(queueIndex)),
      mWaitMode(waitMode) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
    require(mVk.vkCreateSemaphore(device(), &info, nullptr, &mSemaphore));
}

RawQueue::~RawQueue() {
    idle();
    mVk.vkDestroySemaphore(device(), mSemaphore, nullptr);
}

void RawQueue::require(VkResult result) {
    if (result < 0)
        throw std::runtime_error("raw Vulkan: VkResult " + std::to_string(result));
}

uint64_t RawQueue::submit(std::span<const VkCommandBuffer> commandBuffers,
                          std::span<const Wait> waits) {
    ++mValue;
    VkSemaphore semaphores[4];
    uint64_t values[4];
    VkPipelineStageFlags stages[4];
    for (size_t i = 0; i < waits.size(); ++i) {
        semaphores[i] = waits[i].semaphore;
        values[i] = waits[i].value;
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    timeline.waitSemaphoreValueCount = static_cast<uint32_t>(waits.size());
    timeline.pWaitSemaphoreValues = values;
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &mValue;
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &timeline};
    submit.waitSemaphoreCount = static_cast<uint32_t>(waits.size());
    submit.pWaitSemaphores = semaphores;
    submit.pWaitDstStageMask = stages;
    submit.commandBufferCount = static_cast<uint32_t>(commandBuffers.size());
    submit.pCommandBuffers = commandBuffers.data();
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &mSemaphore;
    require(mVk.vkQueueSubmit(mQueue, 1, &submit, VK_NULL_HANDLE));
    return mValue;
}

bool RawQueue::reached(uint64_t value) {
    uint64_t now = 0;
    require(mVk.vkGetSemaphoreCounterValue(device(), mSemaphore, &now));
    return now >= value;
}

void RawQueue::wait(uint64_t value) {
    if (mWaitMode != vulkan::WaitMode::eBlock) { // the same as vulkan::Queue
        const auto start = Clock::now();
        do {
            for (int i = 0; i < 16; ++i)
                if (reached(value))
                    return;
        } while (mWaitMode == vulkan::WaitMode::eSpin ||
                 Clock::now() - start < std::chrono::milliseconds(1));
        while (!reached(value))
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        return;
    }
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &mSemaphore;
    info.pValues = &value;
    require(mVk.vkWaitSemaphores(device(), &info, UINT64_MAX));
}

// --- RawBuffers ---------------------------------------------------------------------------------

VkBuffer RawBuffers::makeBuffer(const RawQueue& queue, uint64_t bytes) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    RawQueue::require(queue.vk().vkCreateBuffer(queue.device(), &info, nullptr, &buffer));
    return buffer;
}

uint32_t RawBuffers::memoryType(const RawQueue& queue, uint32_t bits, RawMemory memory) {
    return findMemoryType(queue.physical().memory, bits, memory == RawMemory::eHost);
}

RawBuffers::RawBuffers(RawQueue& queue, size_t count, uint64_t bytesEach, RawMemory memory)
    : mQueue(queue), mBytesEach(bytesEach) {
    for (size_t i = 0; i < count; ++i)
        mBuffers.push_back(makeBuffer(queue, bytesEach));
    VkMemoryRequirements needed{};
    queue.vk().vkGetBufferMemoryRequirements(queue.device(), mBuffers[0], &needed);
    mStep = (needed.size + needed.alignment - 1) / needed.alignment * needed.alignment;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = mStep * count;
    allocate.memoryTypeIndex = memoryType(queue, needed.memoryTypeBits, memory);
    RawQueue::require(queue.vk().vkAllocateMemory(queue.device(), &allocate, nullptr, &mMemory));
    for (size_t i = 0; i < count; ++i)
        RawQueue::require(
            queue.vk().vkBindBufferMemory(queue.device(), mBuffers[i], mMemory, mStep * i));
    if (memory == RawMemory::eHost)
        RawQueue::require(
            queue.vk().vkMapMemory(queue.device(), mMemory, 0, VK_WHOLE_SIZE, 0, &mMapped));
}

RawBuffers::~RawBuffers() {
    mQueue.idle();
    for (const VkBuffer buffer : mBuffers)
        mQueue.vk().vkDestroyBuffer(mQueue.device(), buffer, nullptr);
    mQueue.vk().vkFreeMemory(mQueue.device(), mMemory, nullptr);
}

void RawBuffers::write(size_t i, const void* data, uint64_t bytes) {
    RawBuffers host(mQueue, 1, bytes, RawMemory::eHost);
    std::memcpy(host.mapped(0), data, bytes);
    RawCommands commands(mQueue);
    commands.begin();
    commands.copy(host[0], mBuffers[i], bytes);
    commands.end();
    mQueue.run(commands.handle());
}

void RawBuffers::read(size_t i, void* data, uint64_t bytes) {
    RawBuffers host(mQueue, 1, bytes, RawMemory::eHost);
    RawCommands commands(mQueue);
    commands.begin();
    commands.copy(mBuffers[i], host[0], bytes);
    commands.end(true);
    mQueue.run(commands.handle());
    std::memcpy(data, host.mapped(0), bytes);
}

// --- RawKernel ----------------------------------------------------------------------------------

RawKernel::RawKernel(RawQueue& queue, const std::vector<uint32_t>& spirv, uint32_t bindings,
                     uint32_t pushBytes, uint32_t maxSets)
    : mQueue(queue) {
    std::vector<VkDescriptorSetLayoutBinding> list;
    for (uint32_t i = 0; i < bindings; ++i)
        list.push_back(
            {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = bindings;
    setInfo.pBindings = list.data();
    RawQueue::require(
        queue.vk().vkCreateDescriptorSetLayout(queue.device(), &setInfo, nullptr, &mSetLayout));
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &mSetLayout;
    layout.pushConstantRangeCount = pushBytes > 0 ? 1 : 0;
    layout.pPushConstantRanges = &range;
    RawQueue::require(
        queue.vk().vkCreatePipelineLayout(queue.device(), &layout, nullptr, &mLayout));
    mPipeline = makePipeline(queue, spirv, mLayout, VK_NULL_HANDLE);

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, maxSets * bindings};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = maxSets;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    RawQueue::require(queue.vk().vkCreateDescriptorPool(queue.device(), &pool, nullptr, &mPool));
}

RawKernel::~RawKernel() {
    mQueue.idle();
    mQueue.vk().vkDestroyDescriptorPool(mQueue.device(), mPool, nullptr);
    mQueue.vk().vkDestroyPipeline(mQueue.device(), mPipeline, nullptr);
    mQueue.vk().vkDestroyPipelineLayout(mQueue.device(), mLayout, nullptr);
    mQueue.vk().vkDestroyDescriptorSetLayout(mQueue.device(), mSetLayout, nullptr);
}

VkPipeline RawKernel::makePipeline(RawQueue& queue, const std::vector<uint32_t>& spirv,
                                   VkPipelineLayout layout, VkPipelineCache cache,
                                   const std::vector<uint32_t>& constants) {
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = spirv.size() * sizeof(uint32_t);
    moduleInfo.pCode = spirv.data();
    VkShaderModule module = VK_NULL_HANDLE;
    RawQueue::require(
        queue.vk().vkCreateShaderModule(queue.device(), &moduleInfo, nullptr, &module));
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < constants.size(); ++i)
        entries.push_back({i, static_cast<uint32_t>(i * sizeof(uint32_t)), sizeof(uint32_t)});
    const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(),
                                              constants.size() * sizeof(uint32_t),
                                              constants.data()};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = constants.empty() ? nullptr : &specialization;
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    RawQueue::require(
        queue.vk().vkCreateComputePipelines(queue.device(), cache, 1, &info, nullptr, &pipeline));
    queue.vk().vkDestroyShaderModule(queue.device(), module, nullptr);
    return pipeline;
}

VkDescriptorSet RawKernel::bind(const std::vector<VkBuffer>& buffers, VkDescriptorSet set) {
    if (set == VK_NULL_HANDLE) {
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocate.descriptorPool = mPool;
        allocate.descriptorSetCount = 1;
        allocate.pSetLayouts = &mSetLayout;
        RawQueue::require(mQueue.vk().vkAllocateDescriptorSets(mQueue.device(), &allocate, &set));
    }
    VkDescriptorBufferInfo bound[8];
    VkWriteDescriptorSet writes[8];
    for (uint32_t i = 0; i < buffers.size(); ++i) {
        bound[i] = {buffers[i], 0, VK_WHOLE_SIZE};
        writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &bound[i];
    }
    mQueue.vk().vkUpdateDescriptorSets(mQueue.device(), static_cast<uint32_t>(buffers.size()),
                                       writes, 0, nullptr);
    return set;
}

// --- RawCommands --------------------------------------------------------------------------------

RawCommands::RawCommands(RawQueue& queue) : mQueue(queue) {
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = queue.family();
    RawQueue::require(queue.vk().vkCreateCommandPool(queue.device(), &pool, nullptr, &mPool));
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = mPool;
    allocate.commandBufferCount = 1;
    RawQueue::require(
        queue.vk().vkAllocateCommandBuffers(queue.device(), &allocate, &mCommandBuffer));
}

RawCommands::~RawCommands() {
    mQueue.idle();
    mQueue.vk().vkDestroyCommandPool(mQueue.device(), mPool, nullptr);
}

void RawCommands::begin() {
    RawQueue::require(mQueue.vk().vkResetCommandPool(mQueue.device(), mPool, 0));
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    RawQueue::require(mQueue.vk().vkBeginCommandBuffer(mCommandBuffer, &begin));
    mStages = 0;
}

void RawCommands::end(bool host) {
    VkAccessFlags writes = 0;
    if (mStages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT)
        writes |= VK_ACCESS_SHADER_WRITE_BIT;
    if (mStages & VK_PIPELINE_STAGE_TRANSFER_BIT)
        writes |= VK_ACCESS_TRANSFER_WRITE_BIT;
    VkPipelineStageFlags after =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkAccessFlags accesses = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                             VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                             VK_ACCESS_TRANSFER_WRITE_BIT;
    if (host) {
        after |= VK_PIPELINE_STAGE_HOST_BIT;
        accesses |= VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
    }
    if (mStages)
        barrier(mStages, writes, after, accesses);
    endWithoutBarrier();
}

void RawCommands::endWithoutBarrier() {
    RawQueue::require(mQueue.vk().vkEndCommandBuffer(mCommandBuffer));
}

void RawCommands::barrier(VkPipelineStageFlags srcStage, VkAccessFlags srcAccess,
                          VkPipelineStageFlags dstStage, VkAccessFlags dstAccess) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = srcAccess;
    barrier.dstAccessMask = dstAccess;
    mQueue.vk().vkCmdPipelineBarrier(mCommandBuffer, srcStage, dstStage, 0, 1, &barrier, 0, nullptr,
                                     0, nullptr);
}

void RawCommands::computeBarrier() {
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT);
}

void RawCommands::bind(const RawKernel& kernel) {
    mQueue.vk().vkCmdBindPipeline(mCommandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                  kernel.pipeline());
}

void RawCommands::bindSet(const RawKernel& kernel, VkDescriptorSet set) {
    mQueue.vk().vkCmdBindDescriptorSets(mCommandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                        kernel.layout(), 0, 1, &set, 0, nullptr);
}

void RawCommands::push(const RawKernel& kernel, const void* data, uint32_t bytes) {
    mQueue.vk().vkCmdPushConstants(mCommandBuffer, kernel.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   bytes, data);
}

void RawCommands::dispatch(uint32_t groups) {
    mStages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    mQueue.vk().vkCmdDispatch(mCommandBuffer, groups, 1, 1);
}

void RawCommands::copy(VkBuffer source, VkBuffer destination, uint64_t bytes, uint64_t from,
                       uint64_t to) {
    mStages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkBufferCopy region{from, to, bytes};
    mQueue.vk().vkCmdCopyBuffer(mCommandBuffer, source, destination, 1, &region);
}

void RawCommands::fill(VkBuffer buffer, uint64_t bytes, uint32_t pattern) {
    mStages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
    mQueue.vk().vkCmdFillBuffer(mCommandBuffer, buffer, 0, bytes, pattern);
}

// --- RawStaging ---------------------------------------------------------------------------------

RawStaging::RawStaging(RawQueue& queue)
    : mQueue(queue), mStaging(queue, 2, kChunk, RawMemory::eHost), mCommands{RawCommands(queue),
                                                                             RawCommands(queue)} {}

void RawStaging::upload(VkBuffer buffer, const void* data, uint64_t bytes) {
    uint64_t done[2]{};
    size_t slot = 0;
    for (uint64_t offset = 0; offset < bytes; offset += kChunk, slot = 1 - slot) {
        const uint64_t length = std::min(kChunk, bytes - offset);
        if (done[slot] > 0)
            mQueue.wait(done[slot]);
        std::memcpy(mStaging.mapped(slot), static_cast<const char*>(data) + offset, length);
        mCommands[slot].begin();
        mCommands[slot].copy(mStaging[slot], buffer, length, 0, offset);
        mCommands[slot].end();
        const VkCommandBuffer commandBuffer = mCommands[slot].handle();
        done[slot] = mQueue.submit({&commandBuffer, 1});
    }
    mQueue.wait(std::max(done[0], done[1]));
}

void RawStaging::download(VkBuffer buffer, void* data, uint64_t bytes) {
    uint64_t done[2]{};
    const auto submit = [&](uint64_t offset, size_t slot) {
        mCommands[slot].begin();
        mCommands[slot].copy(buffer, mStaging[slot], std::min(kChunk, bytes - offset), offset, 0);
        mCommands[slot].end(true);
        const VkCommandBuffer commandBuffer = mCommands[slot].handle();
        done[slot] = mQueue.submit({&commandBuffer, 1});
    };
    submit(0, 0);
    size_t slot = 0;
    for (uint64_t offset = 0; offset < bytes; offset += kChunk, slot = 1 - slot) {
        if (offset + kChunk < bytes)
            submit(offset + kChunk, 1 - slot);
        mQueue.wait(done[slot]);
        std::memcpy(static_cast<char*>(data) + offset, mStaging.mapped(slot),
                    std::min(kChunk, bytes - offset));
    }
}

} // namespace kp::benchmark
