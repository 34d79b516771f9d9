// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vulkan/device/Features.hpp"

namespace kp::vulkan {

class Instance;

/// A queue of a host application.
struct HostQueue {
    VkQueue handle = VK_NULL_HANDLE; ///< null: looked up by family and index
    uint32_t family = 0;
    uint32_t index = 0;
};

/// A device that a host application created and owns.
struct HostDevice {
    std::shared_ptr<Instance> instance; ///< Instance::wrap() of the host's VkInstance
    VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::vector<HostQueue> queues; ///< at least one with compute
    std::vector<std::string> enabledExtensions;
    FeatureSet enabledFeatures; ///< a feature not listed counts as disabled
    uint32_t apiVersion = VK_API_VERSION_1_1;
    bool allowTimelineSemaphores = true;
    std::function<void(uint32_t family, uint32_t index)> lockQueue;   ///< may be empty
    std::function<void(uint32_t family, uint32_t index)> unlockQueue; ///< may be empty
};

} // namespace kp::vulkan
