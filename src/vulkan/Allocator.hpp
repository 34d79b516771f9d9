// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "vulkan/Vulkan.hpp"

// VulkanMemoryAllocator's handles, so that only Allocator.cpp includes its header.
struct VmaAllocator_T;
struct VmaAllocation_T;

namespace kp::vulkan {

class Device;

/// Where memory lives and who reads it.
enum class MemoryPlace {
    eDevice, ///< device-local
    eHost,   ///< host-visible and coherent, cached for fast host reads where there is such; mapped
    eDeviceMapped,   ///< device-local and mapped, in a kind that the host reads at full speed
    eDeviceWritable, ///< device-local and mapped for writing; reading it may be very slow
    eStaging ///< as eHost; where it is large, in an allocation that is given back when freed
};

/// Memory bound to a buffer or an image.
struct Allocation {
    VmaAllocation_T* handle = nullptr;
    void* mapped = nullptr; ///< host address; null for MemoryPlace::eDevice
    bool cached = false;    ///< the host reads it at full speed
};

/// VulkanMemoryAllocator behind one file: large blocks from the driver, small pieces from blocks.
/// Thread-safe. Owned by its Device.
class Allocator {
public:
    explicit Allocator(Device& device);
    ~Allocator();
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;

    /// True where the device has memory of this kind. eDevice, eHost and eStaging always are.
    bool offers(MemoryPlace place) const;

    /// Allocates and binds. @throws OutOfMemory naming @p bytes and the fullest heap's size
    Allocation bind(VkBuffer buffer, MemoryPlace place, uint64_t bytes);
    Allocation bind(VkImage image, MemoryPlace place, uint64_t bytes);
    void free(const Allocation& allocation);

    /// Bytes the driver gave this allocator, over all heaps, and the bytes of it in use.
    struct Usage {
        uint64_t blockBytes = 0;
        uint64_t allocationBytes = 0;
        uint32_t allocations = 0;
    };
    Usage usage() const;

    /// Size of the largest heap that @p place can come from.
    uint64_t heapSize(MemoryPlace place) const;

private:
    VkResult findType(MemoryPlace place, uint32_t& type) const;
    bool isCached(uint32_t memoryType) const;
    [[noreturn]] void fail(VkResult result, MemoryPlace place, uint64_t bytes) const;

    Device& mDevice;
    VmaAllocator_T* mHandle = nullptr;
    bool mOffersDeviceMapped = false;
    bool mOffersDeviceWritable = false;
};

} // namespace kp::vulkan
