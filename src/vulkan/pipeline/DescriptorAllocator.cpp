// SPDX-License-Identifier: Apache-2.0
#include "vulkan/pipeline/DescriptorAllocator.hpp"

#include <algorithm>

#include "base/Process.hpp"
#include "vulkan/device/DeviceHandle.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp::vulkan {
namespace {

constexpr uint32_t kSetsPerPool = 256;
/// Idle sets kept per layout; further ones are freed.
constexpr size_t kMaxIdleSets = 64;

// Descriptors of each type per pool: enough for typical compute shaders. A layout that needs more
// gets a pool that fits it.
constexpr VkDescriptorPoolSize kPoolSizes[] = {
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * kSetsPerPool},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool / 2},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kSetsPerPool},
    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kSetsPerPool / 2},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSetsPerPool / 2},
    {VK_DESCRIPTOR_TYPE_SAMPLER, kSetsPerPool / 2},
};

} // namespace

DescriptorSet::~DescriptorSet() {
    if (!forked())
        mOwner.recycle(mLayout, {mPool, mHandle});
}

DescriptorAllocator::~DescriptorAllocator() {
    for (const Pool& pool : mPools)
        mDevice.vk().vkDestroyDescriptorPool(mDevice.handle(), pool.handle, nullptr);
}

void DescriptorAllocator::addPool(const PipelineLayout& layout, uint32_t set) {
    std::vector<VkDescriptorPoolSize> sizes(std::begin(kPoolSizes), std::end(kPoolSizes));
    for (VkDescriptorPoolSize& size : sizes) {
        uint32_t needed = 0;
        for (const DescriptorBinding& binding : layout.bindings())
            if (binding.set == set && binding.type == size.type)
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

bool DescriptorAllocator::allocateFrom(size_t pool, VkDescriptorSetLayout layout,
                                       VkDescriptorSet& set) {
    if (mPools[pool].freeSets == 0)
        return false;
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = mPools[pool].handle;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    const VkResult result = mDevice.vk().vkAllocateDescriptorSets(mDevice.handle(), &info, &set);
    if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL)
        return false;
    mDevice.check(result, "vkAllocateDescriptorSets");
    --mPools[pool].freeSets;
    return true;
}

DescriptorAllocator::Idle DescriptorAllocator::take(const PipelineLayout& layout, uint32_t set) {
    const std::lock_guard lock(mMutex);
    const VkDescriptorSetLayout setLayout = layout.setLayout(set);
    std::vector<Idle>& idle = mIdle[setLayout];
    if (!idle.empty()) {
        const Idle last = idle.back();
        idle.pop_back();
        return last;
    }
    idle.reserve(mRecycles ? kMaxIdleSets : 0); // so that recycle() allocates nothing
    // Tries the last pool with room, then the others, then a new one.
    Idle taken{0, VK_NULL_HANDLE};
    const size_t existing = mPools.size();
    for (size_t tried = 0; !taken.handle; ++tried) {
        if (tried > existing)
            mDevice.check(VK_ERROR_OUT_OF_POOL_MEMORY, "vkAllocateDescriptorSets");
        if (tried == existing) {
            addPool(layout, set);
            mCurrent = existing;
        }
        if (allocateFrom(mCurrent, setLayout, taken.handle))
            taken.pool = mCurrent;
        else
            mCurrent = (mCurrent + 1) % mPools.size();
    }
    return taken;
}

void DescriptorAllocator::recycle(VkDescriptorSetLayout layout, const Idle& set) noexcept {
    const std::lock_guard lock(mMutex);
    const auto found = mIdle.find(layout);
    // After removeLayout() a set cannot be written again.
    if (found != mIdle.end() && found->second.size() < found->second.capacity())
        found->second.push_back(set);
    else
        free(set);
}

void DescriptorAllocator::free(const Idle& set) noexcept {
    mDevice.vk().vkFreeDescriptorSets(mDevice.handle(), mPools[set.pool].handle, 1, &set.handle);
    ++mPools[set.pool].freeSets;
}

void DescriptorAllocator::removeLayout(VkDescriptorSetLayout layout) noexcept {
    const std::lock_guard lock(mMutex);
    const auto found = mIdle.find(layout);
    if (found == mIdle.end())
        return;
    for (const Idle& set : found->second)
        free(set);
    mIdle.erase(found);
}

std::shared_ptr<DescriptorSet> DescriptorAllocator::create(const PipelineLayout& layout,
                                                           std::span<const DescriptorWrite> writes,
                                                           uint32_t set) {
    const Idle taken = take(layout, set);
    auto made = std::make_shared<DescriptorSet>(*this, layout.setLayout(set), taken.pool,
                                                taken.handle, writes);
    std::vector<VkWriteDescriptorSet> updates;
    updates.reserve(writes.size());
    for (const DescriptorWrite& write : writes) {
        VkWriteDescriptorSet update{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        update.dstSet = taken.handle;
        update.dstBinding = write.binding;
        update.dstArrayElement = write.element;
        update.descriptorCount = 1;
        update.descriptorType = write.type;
        update.pBufferInfo = &write.buffer;
        update.pImageInfo = &write.image;
        updates.push_back(update);
    }
    mDevice.vk().vkUpdateDescriptorSets(mDevice.handle(), static_cast<uint32_t>(updates.size()),
                                        updates.data(), 0, nullptr);
    return made;
}

} // namespace kp::vulkan
