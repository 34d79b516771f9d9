// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vulkan/memory/HostMirror.hpp"
#include "vulkan/memory/Resource.hpp"
#include "vulkan/queue/PointerMap.hpp"

namespace kp::vulkan {

class Device;
class Gathering;
class Queue;

/// A resource that a submission accesses.
struct ResourceAccess {
    std::shared_ptr<Resource> resource;
    uint32_t memory = 0; ///< number of its memory; views of one memory share it
    bool writes = false;
    MirrorUse mirror;

    void note(const TimelinePoint& point, bool alsoWrites) const {
        resource->use().note(point, alsoWrites);
        if (mirror.changesMirror() && resource->mirror()) [[unlikely]]
            resource->mirror()->noteUse(mirror);
    }
};

/// Copies to the device the host's changes in the mirrors of memory that the next submission
/// uses. Call it before everything that may read or partly overwrite what users hold.
inline void bringToDevice(const Resource& resource, const MirrorUse& use) {
    if (resource.hostNewer() != 0) [[unlikely]]
        resource.mirror()->beforeUse(use);
}
inline void bringToDevice(std::span<const ResourceAccess> accesses) {
    for (const ResourceAccess& access : accesses)
        bringToDevice(*access.resource, access.mirror);
}

/// The accesses of a submission, for its order against other queues'.
class AccessList {
public:
    /// @return the number of the resource's memory, from 0, for a HazardTracker
    uint32_t add(const std::shared_ptr<Resource>& resource, bool writes) {
        return note(*resource, writes, [&] { return resource; });
    }
    /// As add(), for a resource that outlives this list anyway.
    uint32_t addBorrowed(Resource& resource, bool writes) {
        return note(resource, writes,
                    [&] { return std::shared_ptr<Resource>(std::shared_ptr<void>(), &resource); });
    }
    /// Appends the accesses of a later submission.
    void add(const AccessList& other);
    /// Returns how the mirror of a resource in the list is used.
    MirrorUse& mirrorUse(const Resource& resource) {
        bool isNew = false;
        return mResources[mPlaces.at(&resource, isNew)].mirror;
    }
    /// The submission may access any memory, so it is ordered against everything.
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
            known.mirror.agrees &= !writes;
            return known.memory;
        }
        place = static_cast<uint32_t>(mResources.size());
        const uint32_t memory = resource.sharesUse() ? sharedMemory(resource) : mMemories++;
        mResources.push_back({hold(), memory, writes, {}});
        return memory;
    }
    uint32_t sharedMemory(const Resource& resource);

    std::vector<ResourceAccess> mResources;
    /// By resource, its index in mResources; by shared use, the number of the memory.
    PointerMap<uint32_t> mPlaces;
    uint32_t mMemories = 0;
    bool mUnknown = false;
};

/// Submits command buffers to @p queue. They wait for all work on other queues that conflicts with
/// @p accesses, and for @p waits. New images are brought to their layout first, and the deletion
/// queue is collected. Thread-safe.
/// @param mayGather  a busy queue gathers the command buffers; the caller keeps them until they ran
/// @return the point that is reached when the command buffers have run
/// @throws InvalidArgument if a resource was destroyed; otherwise as Queue::submit()
TimelinePoint submitOrdered(Queue& queue, std::span<const VkCommandBuffer> commandBuffers,
                            const AccessList& accesses, std::span<const TimelinePoint> waits = {},
                            bool mayGather = false);

/// Adds work to a busy queue's gathering, ordered as by submitOrdered(). Thread-safe.
/// @param add  adds the work; called at most once, while no other thread uses the queue
/// @return its point; empty if the queue is not busy, or the work must wait for another queue or
///         for the first layout of an image
/// @throws InvalidArgument if a resource was destroyed; exceptions of @p add
std::optional<TimelinePoint> gatherOrdered(Queue& queue, std::span<const ResourceAccess> accesses,
                                           std::span<const TimelinePoint> waits,
                                           const std::function<void(Gathering&)>& add);

/// Notes that a host application has run work with these accesses, which submitOrdered() did not
/// submit.
void noteForeignRun(Device& device, const AccessList& accesses);

using KeptObjects = std::vector<std::shared_ptr<const void>>;

/// Records a command buffer and submits it once, as submitOrdered() does. The command buffer, and
/// the objects that @p record adds to its second argument, are kept until it has run. Thread-safe.
TimelinePoint submitOnce(Queue& queue, const AccessList& accesses,
                         std::span<const TimelinePoint> waits,
                         const std::function<void(VkCommandBuffer, KeptObjects&)>& record);

/// Submits a full barrier, which stands for the host application's work on the queue: it follows
/// all earlier work of all queues and precedes all later work.
void submitFullBarrier(Queue& queue);

} // namespace kp::vulkan
