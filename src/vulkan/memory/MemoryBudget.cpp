// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/MemoryBudget.hpp"

#include <algorithm>
#include <iterator>

namespace kp::vulkan {

MemoryBudget::MemoryBudget(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceMemoryProperties2 query,
                           bool hasBudgets)
    : mDevice(device), mQuery(query), mHasBudgets(hasBudgets) {}

void MemoryBudget::query(VkPhysicalDeviceMemoryProperties2& properties) {
    const std::lock_guard lock(mMutex);
    if (!mKnown) {
        mBudget = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
        mProperties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                       mHasBudgets ? &mBudget : nullptr};
        mQuery(mDevice, &mProperties);
        mKnown = true;
    }
    properties.memoryProperties = mProperties.memoryProperties;
    for (auto* next = static_cast<VkBaseOutStructure*>(properties.pNext); next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) {
            auto* const budget = reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(next);
            std::ranges::copy(mBudget.heapBudget, std::begin(budget->heapBudget));
            std::ranges::copy(mBudget.heapUsage, std::begin(budget->heapUsage));
            if (mFull) {
                std::ranges::fill(budget->heapBudget, 1); // 0 would count as unknown
                std::ranges::fill(budget->heapUsage, VkDeviceSize{1} << 50);
            }
        }
}

void MemoryBudget::pretendFull(bool full) {
    const std::lock_guard lock(mMutex);
    mFull = full;
}

void MemoryBudget::forget() {
    const std::lock_guard lock(mMutex);
    mKnown = false;
}

} // namespace kp::vulkan
