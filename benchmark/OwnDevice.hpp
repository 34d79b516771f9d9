// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "MemoryType.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"

// A VkDevice with more queues than the library requests, and buffers that all of them can use.
// Errors throw kp::Error.

namespace kp::benchmark {

/// A queue with a command pool and a fence.
struct Lane {
    std::string name; ///< family.index
    bool computes = false;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
};

/// A VkDevice with up to two queues of each family that can copy, and a Manager around those that
/// compute.
class OwnDevice {
public:
    explicit OwnDevice(const vulkan::Device& like)
        : mInstance(like.instance()), mPhysical(like.physical()) {
        const float priorities[2] = {1, 1};
        std::vector<VkDeviceQueueCreateInfo> queues;
        for (uint32_t f = 0; f < mPhysical.queueFamilies.size(); ++f) {
            const VkQueueFamilyProperties& family = mPhysical.queueFamilies[f];
            if (!(family.queueFlags &
                  (VK_QUEUE_TRANSFER_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)))
                continue;
            queues.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, f,
                              std::min(family.queueCount, 2u), priorities});
            mFamilies.push_back(f);
        }
        kp::HostDevice host;
        host.instance = mInstance->handle();
        host.physicalDevice = mPhysical.handle;
        host.apiVersion = mInstance->apiVersion();
        if (mPhysical.hasExtension("VK_KHR_portability_subset"))
            host.deviceExtensions.push_back("VK_KHR_portability_subset");
        const char* extension = "VK_KHR_portability_subset";
        VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
        info.pQueueCreateInfos = queues.data();
        info.enabledExtensionCount = static_cast<uint32_t>(host.deviceExtensions.size());
        info.ppEnabledExtensionNames = &extension;
        vulkan::check(mInstance->table().vkCreateDevice(mPhysical.handle, &info, nullptr, &mHandle),
                      "vkCreateDevice");
        host.device = mHandle;
        for (const VkDeviceQueueCreateInfo& queue : queues)
            if (computes(queue.queueFamilyIndex))
                for (uint32_t i = 0; i < queue.queueCount; ++i)
                    host.queues.push_back({nullptr, queue.queueFamilyIndex, i});
        mManager = std::make_unique<kp::Manager>(host);
        mVk = vulkan::findDevice(mHandle)->vk();
        for (const VkDeviceQueueCreateInfo& queue : queues)
            for (uint32_t i = 0; i < queue.queueCount; ++i)
                addLane(queue.queueFamilyIndex, i);
    }

    ~OwnDevice() {
        for (const Lane& lane : mLanes) {
            mVk.vkDestroyFence(mHandle, lane.fence, nullptr);
            mVk.vkDestroyCommandPool(mHandle, lane.pool, nullptr);
        }
        mManager.reset();
        mVk.vkDestroyDevice(mHandle, nullptr);
    }
    OwnDevice(const OwnDevice&) = delete;
    OwnDevice& operator=(const OwnDevice&) = delete;

    VkDevice handle() const { return mHandle; }
    const VolkDeviceTable& vk() const { return mVk; }
    kp::Manager& manager() const { return *mManager; }
    const vulkan::PhysicalDevice& physical() const { return mPhysical; }
    const std::vector<uint32_t>& families() const { return mFamilies; }
    const std::vector<Lane>& lanes() const { return mLanes; }

private:
    bool computes(uint32_t family) const {
        return mPhysical.queueFamilies[family].queueFlags & VK_QUEUE_COMPUTE_BIT;
    }

    void addLane(uint32_t family, uint32_t index) {
        Lane lane;
        lane.name = std::to_string(family) + "." + std::to_string(index);
        lane.computes = computes(family);
        mVk.vkGetDeviceQueue(mHandle, family, index, &lane.queue);
        VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        pool.queueFamilyIndex = family;
        vulkan::check(mVk.vkCreateCommandPool(mHandle, &pool, nullptr, &lane.pool),
                      "vkCreateCommandPool");
        const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        vulkan::check(mVk.vkCreateFence(mHandle, &fence, nullptr, &lane.fence), "vkCreateFence");
        mLanes.push_back(std::move(lane));
    }

    std::shared_ptr<vulkan::Instance> mInstance;
    vulkan::PhysicalDevice mPhysical;
    std::vector<uint32_t> mFamilies;
    VkDevice mHandle = VK_NULL_HANDLE;
    VolkDeviceTable mVk{};
    std::unique_ptr<kp::Manager> mManager;
    std::vector<Lane> mLanes;
};

/// A buffer that all queues can use, in device memory or in mapped host memory.
class Buffer {
public:
    Buffer(const OwnDevice& device, uint64_t bytes, bool host) : mDevice(device) {
        const VolkDeviceTable& vk = device.vk();
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = bytes;
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                     VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        if (device.families().size() > 1) {
            info.sharingMode = VK_SHARING_MODE_CONCURRENT;
            info.queueFamilyIndexCount = static_cast<uint32_t>(device.families().size());
            info.pQueueFamilyIndices = device.families().data();
        }
        vulkan::check(vk.vkCreateBuffer(device.handle(), &info, nullptr, &mHandle),
                      "vkCreateBuffer");
        VkMemoryRequirements needed{};
        vk.vkGetBufferMemoryRequirements(device.handle(), mHandle, &needed);
        VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocate.allocationSize = needed.size;
        allocate.memoryTypeIndex =
            findMemoryType(device.physical().memory, needed.memoryTypeBits, host);
        vulkan::check(vk.vkAllocateMemory(device.handle(), &allocate, nullptr, &mMemory),
                      "vkAllocateMemory");
        vulkan::check(vk.vkBindBufferMemory(device.handle(), mHandle, mMemory, 0),
                      "vkBindBufferMemory");
        if (host)
            vulkan::check(vk.vkMapMemory(device.handle(), mMemory, 0, VK_WHOLE_SIZE, 0, &mMapped),
                          "vkMapMemory");
    }

    ~Buffer() {
        mDevice.vk().vkDestroyBuffer(mDevice.handle(), mHandle, nullptr);
        mDevice.vk().vkFreeMemory(mDevice.handle(), mMemory, nullptr);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    VkBuffer handle() const { return mHandle; }
    void* mapped() const { return mMapped; }

private:
    const OwnDevice& mDevice;
    VkBuffer mHandle = VK_NULL_HANDLE;
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    void* mMapped = nullptr;
};

} // namespace kp::benchmark
