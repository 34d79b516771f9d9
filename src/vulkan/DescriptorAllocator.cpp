// SPDX-License-Identifier: Apache-2.0
#include "vulkan/DescriptorAllocator.hpp"

#include <algorithm>

#include "vulkan/Device.hpp"
#include "vulkan/PipelineCache.hpp"

namespace kp::vulkan {
namespace {

constexpr uint32_t kSetsPerPool = 256;

// Descriptors of each type in a pool of kSetsPerPool sets: enough for typical compute shaders. A
// layout that needs more gets a pool that fits it.
constexpr VkDescriptorPoolSize kPoolSizes[] = {
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * kSetsPerPool},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool / 2},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kSetsPerPool},
};

} // namespace

DescriptorSet::~DescriptorSet() {
    const std::lock_guard lock(mOwner.mMutex);
    const Device& device = mOwner.mDevice;
    device.vk().vkFreeDescriptorSets(device.handle(), mOwner.mPools[mPool].handle, 1, &mHandle);
    ++mOwner.mPools[mPool].freeSets;
}

DescriptorAllocator::DescriptorAllocator(Device& device) : mDevice(device) {}

DescriptorAllocator::~DescriptorAllocator() {
    for (const Pool& pool : mPools)
        mDevice.vk().vkDestroyDescriptorPool(mDevice.handle(), pool.handle, nullptr);
}

void DescriptorAllocator::addPool(const PipelineLayout& layout) {
    std::vector<VkDescriptorPoolSize> sizes(std::begin(kPoolSizes), std::end(kPoolSizes));
    for (VkDescriptorPoolSize& size : sizes) {
        uint32_t needed = 0;
        for (const DescriptorBinding& binding : layout.bindings())
            if (binding.type == size.type)
                needed += binding.count;
        size.descriptorCount = std::max(size.descriptorCount, needed);
    }
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
    info.maxSets = kSetsPerPool;
    info.poolSizeCount = static_cast<uint32_t>(sizes.size());
    info.pPoolSizes = sizes.data();
    VkDescriptorPool pool = VK_NULL_HANDLE;
    mDevice.check(mDevice.vk().vkCreateDescriptorPool(mDevice.handle(), &info, nullptr, &pool),
                  "vkCreateDescriptorPool");
    mPools.push_back({pool, kSetsPerPool});
}

bool DescriptorAllocator::allocateFrom(size_t pool, const PipelineLayout& layout,
                                       VkDescriptorSet& set) {
    if (mPools[pool].freeSets == 0)
        return false;
    const VkDescriptorSetLayout setLayout = layout.setLayout();
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = mPools[pool].handle;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &setLayout;
    const VkResult result = mDevice.vk().vkAllocateDescriptorSets(mDevice.handle(), &info, &set);
    if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL)
        return false;
    mDevice.check(result, "vkAllocateDescriptorSets");
    --mPools[pool].freeSets;
    return true;
}

std::shared_ptr<DescriptorSet>
DescriptorAllocator::create(const PipelineLayout& layout, std::span<const DescriptorWrite> writes) {
    VkDescriptorSet handle = VK_NULL_HANDLE;
    size_t pool = 0;
    {
        const std::lock_guard lock(mMutex);
        // The pool that had room last, then the others, then a new one.
        const size_t existing = mPools.size();
        for (size_t tried = 0; !handle; ++tried) {
            if (tried > existing)
                mDevice.check(VK_ERROR_OUT_OF_POOL_MEMORY, "vkAllocateDescriptorSets");
            if (tried == existing) {
                addPool(layout);
                mCurrent = existing;
            }
            if (allocateFrom(mCurrent, layout, handle))
                pool = mCurrent;
            else
                mCurrent = (mCurrent + 1) % mPools.size();
        }
    }
    std::vector<VkWriteDescriptorSet> updates;
    updates.reserve(writes.size());
    for (const DescriptorWrite& write : writes) {
        VkWriteDescriptorSet update{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        update.dstSet = handle;
        update.dstBinding = write.binding;
        update.descriptorCount = 1;
        update.descriptorType = write.type;
        update.pBufferInfo = &write.buffer;
        update.pImageInfo = &write.image;
        updates.push_back(update);
    }
    mDevice.vk().vkUpdateDescriptorSets(mDevice.handle(), static_cast<uint32_t>(updates.size()),
                                        updates.data(), 0, nullptr);
    return std::make_shared<DescriptorSet>(*this, pool, handle);
}

} // namespace kp::vulkan
