// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Submission.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Image.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::vulkan {
namespace {

/// Adds the points that a submission waits for. Runs for each resource of each submission: keep it
/// short.
/// @return true if an image awaits its first layout
/// @throws InvalidArgument if a resource was destroyed
bool collectWaits(Queue& queue, std::span<const ResourceAccess> accesses, bool unknown,
                  std::vector<TimelinePoint>& points) {
    Device& device = queue.device();
    const auto add = [&](const TimelinePoint& point) {
        if (!point.queue || point.queue == &queue)
            return;
        for (TimelinePoint& known : points)
            if (known.queue == point.queue) {
                known.value = std::max(known.value, point.value);
                return;
            }
        points.push_back(point);
    };
    if (unknown)
        for (size_t i = 0; i < device.queueCount(); ++i) {
            if (const uint64_t last = device.queue(i).lastValue())
                add({&device.queue(i), last});
        }
    else
        add(device.lastUnknownAccess());
    bool awaitsLayout = false;
    for (const ResourceAccess& access : accesses) {
        const Resource& resource = *access.resource;
        if (resource.destroyed()) [[unlikely]]
            throw InvalidArgument("memory that this work uses was destroyed or rebuilt after the "
                                  "work was recorded; record it again (Sequence::rerecord) or keep "
                                  "the memory");
        awaitsLayout |= resource.awaitsLayout();
        ResourceUse& use = resource.use();
        use.prepare(queue);
        if (access.writes) {
            add(use.lastUse);
            for (const TimelinePoint& point : use.others)
                add(point);
        } else {
            add(use.lastWrite);
        }
    }
    return awaitsLayout;
}

bool haveAllReached(std::span<const TimelinePoint> points) {
    return std::ranges::all_of(points, [](const TimelinePoint& point) {
        return !point.queue || point.queue->reached(point.value);
    });
}

/// Records the first layout transition of the images that await it.
CommandBuffer recordFirstLayouts(Queue& queue, const AccessList& accesses) {
    CommandBuffer commandBuffer;
    for (const ResourceAccess& access : accesses.resources()) {
        if (!access.resource->awaitsLayout())
            continue;
        if (!commandBuffer) {
            commandBuffer = queue.device().commandBuffers().acquire(queue.family());
            commandBuffer.begin(true);
        }
        static_cast<Image&>(*access.resource).recordFirstLayout(commandBuffer.handle());
    }
    if (commandBuffer)
        commandBuffer.end();
    return commandBuffer;
}

} // namespace

uint32_t AccessList::sharedMemory(const Resource& resource) {
    bool isNew = false;
    uint32_t& memory = mPlaces.at(resource.hazardKey(), isNew);
    if (!isNew)
        return memory;
    if (resource.viewsOther())
        for (const ResourceAccess& access : mResources)
            if (access.resource->hazardKey() == resource.hazardKey())
                return memory = access.memory;
    return memory = mMemories++;
}

void AccessList::add(const AccessList& other) {
    for (const ResourceAccess& access : other.mResources) {
        const size_t before = mResources.size();
        add(access.resource, access.writes);
        MirrorUse& mirror = mirrorUse(*access.resource);
        if (mResources.size() > before) {
            mirror = access.mirror;
            continue;
        }
        mirror.uploads |= access.mirror.uploads;
        mirror.agrees |= access.mirror.agrees;
        mirror.copied = access.mirror.copied || (mirror.copied && !access.mirror.synced);
        mirror.synced |= access.mirror.synced;
    }
    mUnknown = mUnknown || other.mUnknown;
}

void AccessList::clear() {
    mResources.clear();
    mPlaces.clear();
    mMemories = 0;
    mUnknown = false;
}

std::optional<TimelinePoint> gatherOrdered(Queue& queue, std::span<const ResourceAccess> accesses,
                                           std::span<const TimelinePoint> waits,
                                           const std::function<void(Gathering&)>& add) {
    thread_local std::vector<TimelinePoint> points;
    points.assign(waits.begin(), waits.end());
    TimelinePoint done{&queue, 0};
    {
        const std::lock_guard lock(queue.device().submissionMutex());
        if (collectWaits(queue, accesses, false, points) || !haveAllReached(points))
            return std::nullopt;
        const std::optional<uint64_t> value = queue.gather(add);
        if (!value)
            return std::nullopt;
        done.value = *value;
        queue.device().noteSubmission(queue);
        for (const ResourceAccess& access : accesses)
            access.note(done, access.writes);
    }
    return done;
}

TimelinePoint submitOrdered(Queue& queue, std::span<const VkCommandBuffer> commandBuffers,
                            const AccessList& accesses, std::span<const TimelinePoint> waits,
                            bool mayGather) {
    Device& device = queue.device();
    // Static, so that a steady state allocates nothing.
    thread_local std::vector<TimelinePoint> points;
    thread_local std::vector<VkCommandBuffer> buffers;
    points.assign(waits.begin(), waits.end());

    CommandBuffer prologue;
    TimelinePoint done{&queue, 0};
    {
        const std::lock_guard lock(device.submissionMutex());
        const bool awaitsLayout =
            collectWaits(queue, accesses.resources(), accesses.unknown(), points);
        if (awaitsLayout) {
            prologue = recordFirstLayouts(queue, accesses);
            buffers.assign(1, prologue.handle());
            buffers.insert(buffers.end(), commandBuffers.begin(), commandBuffers.end());
            done.value = queue.submit(buffers, points);
        } else {
            std::optional<uint64_t> gathered;
            if (mayGather && haveAllReached(points))
                gathered = queue.gather([&](Gathering& all) { all.add(commandBuffers); });
            done.value = gathered ? *gathered : queue.submit(commandBuffers, points);
        }
        device.noteSubmission(queue);
        for (const ResourceAccess& access : accesses.resources()) {
            bool writes = access.writes;
            if (awaitsLayout && access.resource->awaitsLayout()) {
                static_cast<Image&>(*access.resource).noteFirstLayout();
                writes = true;
            }
            access.note(done, writes);
        }
        if (accesses.unknown())
            device.noteUnknownAccess(done);
    }
    if (prologue) {
        auto kept = std::make_shared<CommandBuffer>(std::move(prologue));
        device.deletionQueue().push({done}, [kept] {});
    }
    device.deletionQueue().collect();
    return done;
}

void noteForeignRun(Device& device, const AccessList& accesses) {
    const std::lock_guard lock(device.submissionMutex());
    for (const ResourceAccess& access : accesses.resources()) {
        if (access.writes)
            access.resource->use().countWrite();
        if (access.mirror.changesMirror() && access.resource->mirror())
            access.resource->mirror()->noteUse(access.mirror);
    }
}

TimelinePoint submitOnce(Queue& queue, const AccessList& accesses,
                         std::span<const TimelinePoint> waits,
                         const std::function<void(VkCommandBuffer, KeptObjects&)>& record) {
    struct Kept {
        CommandBuffer commands;
        KeptObjects objects;
    };
    const auto kept = std::make_shared<Kept>();
    kept->commands = queue.device().commandBuffers().acquire(queue.family());
    const VkCommandBuffer handle = kept->commands.handle();
    kept->commands.begin(true);
    record(handle, kept->objects);
    kept->commands.end();
    const TimelinePoint done = submitOrdered(queue, {&handle, 1}, accesses, waits);
    try {
        queue.device().deletionQueue().push({done}, [kept] {});
    } catch (...) {
        DeletionQueue::waitDespiteErrors(done); // before its resources are destroyed
        throw;
    }
    return done;
}

void submitFullBarrier(Queue& queue) {
    AccessList anything;
    anything.addUnknown();
    submitOnce(queue, anything, {}, [&](VkCommandBuffer commands, KeptObjects&) {
        recordFullBarrier(queue.device(), commands);
    });
}

} // namespace kp::vulkan
