// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    bool writes = false;
};

/// What a submission touches, for its order against those of other queues.
class AccessList {
public:
    void add(const std::shared_ptr<Resource>& resource, bool writes);
    /// Of a resource that something else keeps alive as long as this list.
    void addBorrowed(Resource& resource, bool writes) {
        add(std::shared_ptr<Resource>(std::shared_ptr<void>(), &resource), writes);
    }
    void add(const AccessList& other);
    /// It may touch anything: ordered against everything.
    void addUnknown() { mUnknown = true; }
    void clear();

    /// Each resource once.
    const std::vector<ResourceAccess>& resources() const { return mResources; }
    bool unknown() const { return mUnknown; }

private:
    std::vector<ResourceAccess> mResources;
    PointerMap<size_t> mPlaces; ///< in mResources
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
