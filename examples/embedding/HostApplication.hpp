// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <kompute/device/ManagerOptions.hpp>
#include <vulkan/vulkan.h>

/// Represents an existing Vulkan program with an instance, a device, one queue, one command buffer
/// and one host-visible buffer of floats. Plain Vulkan, except that makeDevice() asks the library
/// which extensions to enable.
class HostApplication {
public:
    /// @throws std::runtime_error naming the Vulkan call that failed
    explicit HostApplication(uint32_t elements);
    ~HostApplication();
    HostApplication(const HostApplication&) = delete;
    HostApplication& operator=(const HostApplication&) = delete;

    std::string deviceName() const;
    /// Describes this program to the library. Valid as long as this object.
    const kp::HostDevice& description() const { return mDescription; }

    VkBuffer buffer() const { return mBuffer; }
    float* elements() const { return mElements; }
    uint32_t elementCount() const { return mElementCount; }

    /// Records the command buffer with @p record, submits it and waits for completion. The host
    /// then sees the data in the buffer.
    void submit(const std::function<void(VkCommandBuffer)>& record);

private:
    void makeInstance();
    void chooseDevice();
    void makeDevice();
    void makeBuffer();
    void makeCommandBuffer();
    uint32_t hostVisibleMemoryType(uint32_t allowed) const;

    uint32_t mElementCount;
    VkInstance mInstance = VK_NULL_HANDLE;
    VkPhysicalDevice mPhysicalDevice = VK_NULL_HANDLE;
    uint32_t mFamily = 0;
    VkPhysicalDeviceTimelineSemaphoreFeatures mTimeline{};
    VkPhysicalDeviceFeatures2 mFeatures{};
    VkDevice mDevice = VK_NULL_HANDLE;
    VkQueue mQueue = VK_NULL_HANDLE;
    kp::HostDevice mDescription;
    VkBuffer mBuffer = VK_NULL_HANDLE;
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    float* mElements = nullptr;
    VkCommandPool mPool = VK_NULL_HANDLE;
    VkCommandBuffer mCommandBuffer = VK_NULL_HANDLE;
    VkFence mFence = VK_NULL_HANDLE;
};
