// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <kompute/ManagerOptions.hpp>
#include <vulkan/vulkan.h>

/// Stands for a Vulkan program that exists already: instance, device, one queue, one command buffer
/// and one buffer of floats that the host can see. Plain Vulkan, but for makeDevice(), which asks
/// the library what it would like to have switched on.
class HostApplication {
public:
    /// @throws std::runtime_error naming the Vulkan call that failed
    explicit HostApplication(uint32_t elements);
    ~HostApplication();
    HostApplication(const HostApplication&) = delete;
    HostApplication& operator=(const HostApplication&) = delete;

    std::string deviceName() const;
    /// What the library is told about this program. Valid while this object lives.
    const kp::HostDevice& description() const { return mDescription; }

    VkBuffer buffer() const { return mBuffer; }
    float* elements() const { return mElements; }
    uint32_t elementCount() const { return mElementCount; }

    /// Lets @p record fill the command buffer, submits it and waits for its end. The host sees what
    /// was written to the buffer.
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
