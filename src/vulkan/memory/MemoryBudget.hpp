// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

/// The driver's answer to how much of each heap is in use, kept until memory is allocated or freed.
/// VulkanMemoryAllocator asks at every thirtieth allocation or release of a piece of memory, and
/// drivers take several microseconds to answer (Mesa's reads a file, NVIDIA's calls the kernel).
/// The usage of other processes may be out of date; it matters when a block is allocated, and the
/// next answer is a new one. Thread-safe.
class MemoryBudget {
public:
    /// @param query       the driver's function
    /// @param hasBudgets  whether the device has VK_EXT_memory_budget. Without it, budgets are 0:
    ///                    VulkanMemoryAllocator takes them for unknown
    MemoryBudget(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceMemoryProperties2 query,
                 bool hasBudgets);

    /// Fills @p properties, and the budget if it is in the pNext chain, like the driver's function.
    void query(VkPhysicalDeviceMemoryProperties2& properties);
    /// Call it after memory was allocated or freed.
    void forget();
    /// True makes query() say that all heaps are over their budgets.
    void pretendFull(bool full);

private:
    const VkPhysicalDevice mDevice;
    const PFN_vkGetPhysicalDeviceMemoryProperties2 mQuery;
    const bool mHasBudgets;
    std::mutex mMutex; ///< guards the members below
    bool mKnown = false;
    bool mFull = false;
    VkPhysicalDeviceMemoryProperties2 mProperties{};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT mBudget{};
};

} // namespace kp::vulkan
