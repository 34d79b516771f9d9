// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/PeakCounter.hpp"
#include "vulkan/device/Vulkan.hpp"

// VulkanMemoryAllocator's handles, so that only Allocator.cpp includes its header.
struct VmaAllocator_T;
struct VmaAllocation_T;

namespace kp::vulkan {

class Device;

/// The kind of memory behind a resource.
enum class MemoryPlace {
    eDevice,       ///< device-local
    eHost,         ///< host-visible, coherent, mapped; cached for fast host reads if the device can
    eDeviceMapped, ///< device-local and mapped; the host reads it at full speed
    eDeviceWritable, ///< device-local and mapped; host reads may be very slow
    eStaging         ///< as eHost; a large one gets an allocation of its own, freed with it
};

/// Memory bound to a buffer or an image.
struct Allocation {
    VmaAllocation_T* handle = nullptr;
    void* mapped = nullptr; ///< host address; null for MemoryPlace::eDevice
    bool cached = false;    ///< the host reads it at full speed
};

/// A heap, in bytes.
struct HeapUsage {
    bool deviceLocal = false;
    uint64_t size = 0;
    uint64_t budget = 0;   ///< what this process can have
    uint64_t used = 0;     ///< by this process
    uint64_t reserved = 0; ///< of it, by this allocator
};

/// VulkanMemoryAllocator, which suballocates small pieces from large blocks. Thread-safe. Owned by
/// its Device.
class Allocator {
public:
    explicit Allocator(Device& device);
    ~Allocator();
    Allocator(const Allocator&) = delete;

    /// Returns true if the device has memory of this kind.
    bool offers(MemoryPlace place) const { return kindOf(place).offered; }

    /// Allocates and binds. @throws OutOfMemory, with @p bytes and the size of the heap
    Allocation bind(VkBuffer buffer, MemoryPlace place, uint64_t bytes);
    Allocation bind(VkImage image, MemoryPlace place, uint64_t bytes);
    void free(const Allocation& allocation);
    /// Gives blocks in which nothing is left back to the driver. Without it, one of each memory
    /// type stays for the next allocation. On instances of Vulkan 1.0 they stay.
    void trim();

    /// Memory of all heaps.
    struct Usage {
        uint64_t blockBytes = 0;      ///< allocated from the driver
        uint64_t allocationBytes = 0; ///< of these, in use
        uint32_t allocations = 0;
        uint32_t blocks = 0; ///< the driver's allocations
    };
    Usage usage() const;
    /// Asks the driver. Without VK_EXT_memory_budget, budgets are estimates.
    std::vector<HeapUsage> heaps();
    /// Counts the device memory that is allocated from the driver.
    PeakCounter& reserved() { return mReserved; }

    /// Returns the size of the heap of this kind of memory; 0 if there is none.
    uint64_t heapSize(MemoryPlace place) const { return kindOf(place).heapBytes; }

private:
    struct Context;
    struct Kind {
        bool offered = false;
        uint64_t heapBytes = 0;
    };
    static constexpr size_t kPlaces = 5;

    template <typename Object, typename Allocate, typename Bind>
    Allocation bindObject(Object object, MemoryPlace place, uint64_t bytes, Allocate allocate,
                          Bind bindMemory);
    const Kind& kindOf(MemoryPlace place) const { return mKinds[static_cast<size_t>(place)]; }
    [[noreturn]] void fail(VkResult result, MemoryPlace place, uint64_t bytes) const;

    Device& mDevice;
    PeakCounter mReserved;
    std::unique_ptr<Context> mContext;
    VmaAllocator_T* mHandle = nullptr;
    std::array<Kind, kPlaces> mKinds; ///< by MemoryPlace
    std::mutex mTrimMutex;
    uint32_t mTrims = 0; ///< guarded by mTrimMutex
};

} // namespace kp::vulkan
