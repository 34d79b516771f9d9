// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kompute/Memory.hpp>

#include "core/algorithm/DispatchCopies.hpp"
#include "core/queue/EventState.hpp"
#include "core/sequence/DeferredDispatches.hpp"
#include "vulkan/queue/Breadcrumbs.hpp"
#include "vulkan/queue/HazardTracker.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp {

struct LaunchRules;

/// A recorded command buffer, everything that must live until the device has run it, and the point
/// of its last submission. Its owner may submit it again whenever it is not pending. Used by one
/// thread at a time.
struct Recording final : TimeSource {
    // Declared before the command buffer, which refers to these and so is destroyed first.
    vulkan::AccessList accesses;
    // Used while recording; members for their capacity.
    vulkan::HazardTracker hazards;
    DeferredDispatches deferred;
    /// All operations, if they are few plain dispatches without timestamps; else empty. A gathering
    /// records them again, beside others: on an H200 that takes the device 1.8 us each, while a
    /// command buffer of their own takes 3.8 us.
    DispatchCopies copies;
    static constexpr size_t kMaxCopies = 4;
    /// Pipelines and descriptor sets. While recording, entries from keptCount on belong to the
    /// previous recording: usually the new one needs the same, and then has them already.
    std::vector<std::shared_ptr<const void>> kept;
    size_t keptCount = 0;
    std::vector<std::shared_ptr<Memory>> padded; ///< see Memory::Impl::padded
    CheckReports reports;                        ///< of checked shaders
    std::unique_ptr<vulkan::Trail> trail;        ///< null unless the device has breadcrumbs
    vulkan::TimestampQueries queries;
    vulkan::CommandBuffer commandBuffer; ///< empty if the host application has its own
    bool timedOverflow = false;          ///< more operations than timestamps
    uint32_t timestamps = 0;             ///< number written by the recording
    uint32_t resetTimestamps = 0;        ///< queries that the host has reset since the submission
    vulkan::TimelinePoint submitted;     ///< last submission

    /// Empties the recording and begins its command buffer, acquiring one if needed.
    /// @param owner  returns a text for messages: "sequence 'frame'"
    template <typename Owner>
    void begin(vulkan::Device& device, const vulkan::Queue& queue, Owner&& owner) {
        if (vulkan::Breadcrumbs* const breadcrumbs = device.breadcrumbs()) [[unlikely]]
            beginTrail(*breadcrumbs, owner());
        begin(device, queue);
    }
    /// Returns true while the device may still run it.
    bool pending() const { return submitted.queue && !submitted.queue->reached(submitted.value); }
    /// Destroys @p recording as soon as the device has finished with it.
    static void release(vulkan::Device& device, std::shared_ptr<Recording> recording);

    /// Acquires queries for @p count timestamps, unless it has them.
    void acquireQueries(vulkan::Device& device, uint32_t count);
    /// Resets the queries for the next submission, unless they are or the command buffer does it.
    /// The recording must not be pending, and its times are lost.
    void resetQueries();

    /// Keeps an object alive as long as the command buffer may run.
    template <typename T>
    void keep(const std::shared_ptr<T>& object) {
        if (keptCount > 0 && kept[keptCount - 1].get() == object.get())
            return;
        if (keptCount == kept.size())
            kept.push_back(object);
        else if (kept[keptCount].get() != object.get())
            kept[keptCount] = object;
        ++keptCount;
    }
    /// Drops objects of the previous recording that this one does not need.
    void dropUnused() { kept.resize(keptCount); }

    /// Returns true if there was a submission with timestamps, and its times are not lost.
    bool hasTimes() const { return timestamps > 0 && resetTimestamps == 0; }
    /// Returns the timestamps in ticks. The last submission must have finished.
    std::vector<uint64_t> readTicks() const { return queries.read(timestamps); }
    /// Returns no times if the last submission failed after it was gathered.
    std::vector<uint64_t> readTimes() override;

private:
    void begin(vulkan::Device& device, const vulkan::Queue& queue);
    void beginTrail(vulkan::Breadcrumbs& breadcrumbs, std::string owner);

    uint32_t mFamily = 0;
    bool mHostReset = false; ///< of the queries
    uint32_t mTickBits = 64;
    double mNanosecondsPerTick = 1;
};

/// Submits recordings of one queue in one submission, after @p waits. All submissions of recorded
/// operations that are not recorded into a gathering pass through here.
/// @throws as vulkan::submitOrdered()
Submitted submit(vulkan::Queue& queue, std::span<Recording* const> recordings,
                 std::span<const vulkan::TimelinePoint> waits, const LaunchRules& rules);

} // namespace kp
