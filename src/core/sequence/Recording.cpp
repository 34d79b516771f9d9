// SPDX-License-Identifier: Apache-2.0
#include "core/sequence/Recording.hpp"

#include <utility>

#include "core/memory/MemoryImpl.hpp"
#include "core/queue/LaunchRules.hpp"
#include "core/sequence/GatheredRecording.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

void Recording::begin(vulkan::Device& device, const vulkan::Queue& queue) {
    if (!commandBuffer || mFamily != queue.family())
        commandBuffer = device.commandBuffers().acquire(queue.family());
    mFamily = queue.family();
    mTickBits = queue.timestampValidBits();
    mNanosecondsPerTick = device.physical().properties.limits.timestampPeriod;
    accesses.clear();
    hazards.reset();
    deferred.clear();
    copies.clear();
    // Objects that nothing else uses are freed now, not at the end of the recording.
    for (std::shared_ptr<const void>& object : kept)
        if (object.use_count() == 1)
            object.reset();
    keptCount = 0;
    padded.clear();
    reports.clear();
    timestamps = 0;
    timedOverflow = false;
    commandBuffer.begin(false);
}

void Recording::beginTrail(vulkan::Breadcrumbs& breadcrumbs, std::string owner) {
    if (trail)
        trail->rename(std::move(owner));
    else
        trail = std::make_unique<vulkan::Trail>(breadcrumbs, std::move(owner));
    trail->begin();
}

void Recording::release(vulkan::Device& device, std::shared_ptr<Recording> recording) {
    // Memory objects hold the device, which its own deletion queue must not keep alive.
    recording->padded.clear();
    const vulkan::TimelinePoint point = recording->submitted;
    if (point.queue)
        device.deletionQueue().push({point}, [kept = std::move(recording)] {});
}

void Recording::acquireQueries(vulkan::Device& device, uint32_t count) {
    if (queries && queries.capacity() >= count)
        return;
    queries = device.queryPools().acquire(count);
    mHostReset = device.queryPools().hostReset();
    resetTimestamps = 0;
}

void Recording::resetQueries() {
    if (!mHostReset || resetTimestamps >= timestamps)
        return;
    queries.reset(timestamps);
    resetTimestamps = timestamps;
}

std::vector<uint64_t> Recording::readTimes() {
    if (submitted.queue && submitted.queue->failed(submitted.value))
        return {};
    return vulkan::toNanoseconds(readTicks(), mTickBits, mNanosecondsPerTick);
}

Submitted submit(vulkan::Queue& queue, std::span<Recording* const> recordings,
                 std::span<const vulkan::TimelinePoint> waits, const LaunchRules& rules) {
    vulkan::AccessList merged;
    if (recordings.size() > 1)
        for (const Recording* recording : recordings)
            merged.add(recording->accesses);
    const vulkan::AccessList& accesses =
        recordings.size() == 1 ? recordings.front()->accesses : merged;
    vulkan::bringToDevice(accesses.resources());
    if (rules.coalesce && recordings.size() == 1)
        if (const auto point = gather(queue, rules, *recordings.front(), waits)) {
            recordings.front()->submitted = *point;
            return {*point, {}, {}};
        }
    Submitted submitted;
    for (const Recording* recording : recordings) {
        submitted.padded.insert(submitted.padded.end(), recording->padded.begin(),
                                recording->padded.end());
        submitted.reports.insert(submitted.reports.end(), recording->reports.begin(),
                                 recording->reports.end());
    }
    pushRows(submitted.padded);
    for (Recording* recording : recordings)
        recording->resetQueries();
    if (recordings.size() == 1) [[likely]] {
        const VkCommandBuffer commandBuffer = recordings.front()->commandBuffer.handle();
        submitted.point =
            vulkan::submitOrdered(queue, {&commandBuffer, 1}, accesses, waits, rules.coalesce);
    } else {
        std::vector<VkCommandBuffer> commandBuffers;
        for (const Recording* recording : recordings)
            commandBuffers.push_back(recording->commandBuffer.handle());
        submitted.point =
            vulkan::submitOrdered(queue, commandBuffers, accesses, waits, rules.coalesce);
    }
    for (Recording* recording : recordings) {
        recording->submitted = submitted.point;
        recording->resetTimestamps = 0;
    }
    return submitted;
}

} // namespace kp
