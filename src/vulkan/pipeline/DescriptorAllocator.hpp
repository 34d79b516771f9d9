// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class DescriptorAllocator;
class DeviceHandle;
class PipelineLayout;

/// The buffer, image or sampler of one descriptor.
struct DescriptorWrite {
    uint32_t binding = 0;
    uint32_t element = 0; ///< of an array of descriptors
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    VkDescriptorBufferInfo buffer{};
    VkDescriptorImageInfo image{};
};

/// A descriptor set from a shared pool. Destruction returns it, to be written again for the same
/// layout. It must not be pending on the device then, nor outlive the layout.
class DescriptorSet {
public:
    DescriptorSet(DescriptorAllocator& owner, VkDescriptorSetLayout layout, size_t pool,
                  VkDescriptorSet handle, std::span<const DescriptorWrite> writes)
        : mOwner(owner), mLayout(layout), mPool(pool), mHandle(handle),
          mWrites(writes.begin(), writes.end()) {}
    ~DescriptorSet();
    DescriptorSet(const DescriptorSet&) = delete;

    VkDescriptorSet handle() const { return mHandle; }
    /// The buffers, images and samplers in it.
    const std::vector<DescriptorWrite>& writes() const { return mWrites; }

private:
    DescriptorAllocator& mOwner;
    VkDescriptorSetLayout mLayout;
    size_t mPool;
    VkDescriptorSet mHandle;
    std::vector<DescriptorWrite> mWrites;
};

/// Descriptor sets from shared pools. Returned sets are recycled for the same layout, since
/// allocating one can take microseconds. Thread-safe.
class DescriptorAllocator {
public:
    /// @param recycles  false frees returned sets: the validation layer may take what comes of a
    ///                  buffer that a set had before for what comes of the set's new buffer
    DescriptorAllocator(const DeviceHandle& device, bool recycles)
        : mDevice(device), mRecycles(recycles) {}
    ~DescriptorAllocator();

    /// Returns the set number @p set of @p layout, written once with @p writes.
    std::shared_ptr<DescriptorSet>
    create(const PipelineLayout& layout, std::span<const DescriptorWrite> writes, uint32_t set = 0);

    /// Frees the idle sets of a layout before it is destroyed. Sets in use are freed when they are
    /// returned.
    void removeLayout(VkDescriptorSetLayout layout) noexcept;

private:
    friend class DescriptorSet;

    struct Pool {
        VkDescriptorPool handle;
        uint32_t freeSets;
    };

    struct Idle {
        size_t pool;
        VkDescriptorSet handle;
    };

    void recycle(VkDescriptorSetLayout layout, const Idle& set) noexcept;
    void free(const Idle& set) noexcept;
    Idle take(const PipelineLayout& layout, uint32_t set);
    void addPool(const PipelineLayout& layout, uint32_t set);
    /// Returns false if the pool is full.
    bool allocateFrom(size_t pool, VkDescriptorSetLayout layout, VkDescriptorSet& set);

    const DeviceHandle& mDevice;
    const bool mRecycles;
    std::mutex mMutex;
    std::vector<Pool> mPools;
    size_t mCurrent = 0;                                                ///< the last pool with room
    std::unordered_map<VkDescriptorSetLayout, std::vector<Idle>> mIdle; ///< of living layouts
};

} // namespace kp::vulkan
