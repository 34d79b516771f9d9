// SPDX-License-Identifier: Apache-2.0
#include "core/Recording.hpp"

#include <utility>

#include "core/MemoryImpl.hpp"
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
    // Objects that nothing else uses are freed now, not at the end of the recording.
    for (std::shared_ptr<const void>& object : kept)
        if (object.use_count() == 1)
            object.reset();
    keptCount = 0;
    padded.clear();
    timestamps = 0;
    timedOverflow = false;
    commandBuffer.begin(false);
}

void Recording::release(vulkan::Device& device, std::shared_ptr<Recording> recording) {
    // Memory objects hold the device, which its own deletion queue must not keep alive.
    recording->padded.clear();
    const vulkan::TimelinePoint point = recording->submitted;
    if (point.queue)
        device.deletionQueue().push({point}, [kept = std::move(recording)] {});
}

std::vector<uint64_t> Recording::readTimes() {
    return vulkan::toNanoseconds(readTicks(), mTickBits, mNanosecondsPerTick);
}

Submitted submit(vulkan::Queue& queue, std::span<Recording* const> recordings,
                 std::span<const vulkan::TimelinePoint> waits, bool mayGather) {
    Submitted submitted;
    for (const Recording* recording : recordings)
        submitted.padded.insert(submitted.padded.end(), recording->padded.begin(),
                                recording->padded.end());
    pushRows(submitted.padded);
    if (recordings.size() == 1) [[likely]] {
        const VkCommandBuffer commandBuffer = recordings.front()->commandBuffer.handle();
        submitted.point = vulkan::submitOrdered(queue, {&commandBuffer, 1},
                                                recordings.front()->accesses, waits, mayGather);
    } else {
        vulkan::AccessList accesses;
        std::vector<VkCommandBuffer> commandBuffers;
        for (const Recording* recording : recordings) {
            accesses.add(recording->accesses);
            commandBuffers.push_back(recording->commandBuffer.handle());
        }
        submitted.point = vulkan::submitOrdered(queue, commandBuffers, accesses, waits, mayGather);
    }
    for (Recording* recording : recordings)
        recording->submitted = submitted.point;
    return submitted;
}

} // namespace kp
