// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
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

/// A descriptor set from a shared pool. Goes back when destroyed, to be written anew for the same
/// layout; must not be pending then, and must not outlive the layout.
class DescriptorSet {
public:
    DescriptorSet(DescriptorAllocator& owner, VkDescriptorSetLayout layout, size_t pool,
                  VkDescriptorSet handle)
        : mOwner(owner), mLayout(layout), mPool(pool), mHandle(handle) {}
    ~DescriptorSet();
    DescriptorSet(const DescriptorSet&) = delete;
    DescriptorSet& operator=(const DescriptorSet&) = delete;

    VkDescriptorSet handle() const { return mHandle; }

private:
    DescriptorAllocator& mOwner;
    VkDescriptorSetLayout mLayout;
    size_t mPool;
    VkDescriptorSet mHandle;
};

/// Descriptor sets out of shared pools. Sets that were given back are used again for the same
/// layout, for allocating one can cost microseconds. Thread-safe.
class DescriptorAllocator {
public:
    explicit DescriptorAllocator(Device& device);
    ~DescriptorAllocator();
    DescriptorAllocator(const DescriptorAllocator&) = delete;
    DescriptorAllocator& operator=(const DescriptorAllocator&) = delete;

    /// A set of @p layout, written once with @p writes.
    std::shared_ptr<DescriptorSet> create(const PipelineLayout& layout,
                                          std::span<const DescriptorWrite> writes);

    /// Frees the sets that wait for this layout, before it is destroyed. Sets in use are freed when
    /// they come back.
    void forget(VkDescriptorSetLayout layout) noexcept;

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

    void giveBack(VkDescriptorSetLayout layout, const Idle& set) noexcept;
    void free(const Idle& set) noexcept;
    Idle take(const PipelineLayout& layout);
    void addPool(const PipelineLayout& layout);
    /// False where this pool has no room.
    bool allocateFrom(size_t pool, const PipelineLayout& layout, VkDescriptorSet& set);

    Device& mDevice;
    std::mutex mMutex;
    std::vector<Pool> mPools;
    size_t mCurrent = 0; ///< pool that had room last
    /// Sets given back, of the layouts that are alive.
    std::unordered_map<VkDescriptorSetLayout, std::vector<Idle>> mIdle;
};

} // namespace kp::vulkan
