// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vulkan/PointerMap.hpp"
#include "vulkan/Resource.hpp"

namespace kp::vulkan {

class Queue;

/// A resource that a submission works on.
struct ResourceAccess {
    std::shared_ptr<Resource> resource;
    uint32_t memory = 0; ///< its number; views of one memory have the same
    bool writes = false;
};

/// What a submission touches, for its order against those of other queues.
class AccessList {
public:
    /// @return the number of the resource's memory, for a HazardTracker; numbers count up from 0
    uint32_t add(const std::shared_ptr<Resource>& resource, bool writes) {
        return note(*resource, writes, [&] { return resource; });
    }
    /// Of a resource that something else keeps alive as long as this list.
    uint32_t addBorrowed(Resource& resource, bool writes) {
        return note(resource, writes,
                    [&] { return std::shared_ptr<Resource>(std::shared_ptr<void>(), &resource); });
    }
    void add(const AccessList& other);
    /// It may touch anything: ordered against everything.
    void addUnknown() { mUnknown = true; }
    void clear();

    /// Each resource once.
    const std::vector<ResourceAccess>& resources() const { return mResources; }
    bool unknown() const { return mUnknown; }

private:
    template <typename Hold>
    uint32_t note(const Resource& resource, bool writes, Hold&& hold) {
        bool isNew = false;
        uint32_t& place = mPlaces.at(&resource, isNew);
        if (!isNew) {
            ResourceAccess& known = mResources[place];
            known.writes |= writes;
            return known.memory;
        }
        place = static_cast<uint32_t>(mResources.size());
        const uint32_t memory = resource.sharesUse() ? sharedMemory(resource) : mMemories++;
        mResources.push_back({hold(), memory, writes});
        return memory;
    }
    uint32_t sharedMemory(const Resource& resource);

    std::vector<ResourceAccess> mResources;
    PointerMap<uint32_t> mPlaces; ///< of resources in mResources; numbers of memory with views
    uint32_t mMemories = 0;
    bool mUnknown = false;
};

/// Submits command buffers to @p queue, ordered by timeline waits after everything on other queues
/// that conflicts with @p accesses, and after @p waits. Brings new images to their layout first.
/// Frees what has become free. Thread-safe.
/// @return the point that is reached when the work is done
/// @throws InvalidArgument where a resource was destroyed, what Queue::submit throws
TimelinePoint submitOrdered(Queue& queue, std::span<const VkCommandBuffer> commandBuffers,
                            const AccessList& accesses, std::span<const TimelinePoint> waits = {});

} // namespace kp::vulkan
