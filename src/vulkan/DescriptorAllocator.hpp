// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

class DescriptorAllocator;
class Device;
class PipelineLayout;

/// What one binding of a set is bound to.
struct DescriptorWrite {
    uint32_t binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    VkDescriptorBufferInfo buffer{};
    VkDescriptorImageInfo image{};
};

/// A descriptor set from a shared pool. Returned to it when destroyed; must not be pending then.
class DescriptorSet {
public:
    DescriptorSet(DescriptorAllocator& owner, size_t pool, VkDescriptorSet handle)
        : mOwner(owner), mPool(pool), mHandle(handle) {}
    ~DescriptorSet();
    DescriptorSet(const DescriptorSet&) = delete;
    DescriptorSet& operator=(const DescriptorSet&) = delete;

    VkDescriptorSet handle() const { return mHandle; }

private:
    DescriptorAllocator& mOwner;
    size_t mPool;
    VkDescriptorSet mHandle;
};

/// Descriptor sets out of shared pools. Thread-safe.
class DescriptorAllocator {
public:
    explicit DescriptorAllocator(Device& device);
    ~DescriptorAllocator();
    DescriptorAllocator(const DescriptorAllocator&) = delete;
    DescriptorAllocator& operator=(const DescriptorAllocator&) = delete;

    /// A set of @p layout, written once with @p writes.
    std::shared_ptr<DescriptorSet> create(const PipelineLayout& layout,
                                          std::span<const DescriptorWrite> writes);

private:
    friend class DescriptorSet;

    struct Pool {
        VkDescriptorPool handle;
        uint32_t freeSets;
    };

    void addPool(const PipelineLayout& layout);
    /// False where this pool has no room.
    bool allocateFrom(size_t pool, const PipelineLayout& layout, VkDescriptorSet& set);

    Device& mDevice;
    std::mutex mMutex;
    std::vector<Pool> mPools;
    size_t mCurrent = 0; ///< pool that had room last
};

} // namespace kp::vulkan
