// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "core/queue/EventState.hpp"
#include "core/queue/QueueImpl.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

/// Submits one list of operations repeatedly. A recording is submitted again if the operations are
/// the same objects; other operations are recorded into a recording that the device has finished.
/// Operations must not change after the first submit(). preEval() and postEval() are not called.
///
/// Timed submissions take turns with two recordings at least (LaunchRules::readTimesLater): the
/// times of one are read, and its timestamps reset, after the next submission, while the device
/// works.
///
/// The recordings form a ring. It grows, up to kMaxSlots, if the device is busy with all of them;
/// then a submission waits for the oldest, which bounds the work that a program can queue.
/// Thread-safe.
class Repeater {
public:
    using Operations = std::vector<std::shared_ptr<OpBase>>;
    static constexpr size_t kMaxSlots = 32;

    explicit Repeater(std::shared_ptr<vulkan::Device> device);
    ~Repeater();
    Repeater(const Repeater&) = delete;
    Repeater& operator=(const Repeater&) = delete;

    /// @param operations  moved from if they are recorded
    /// @param timed       whether to write timestamps, for @p state
    /// @param state       may be null if not timed
    Submitted submit(const Queue::Impl& queue, Operations& operations, bool timed,
                     std::span<const vulkan::TimelinePoint> waits,
                     const std::shared_ptr<EventState>& state);

    const std::shared_ptr<vulkan::Device>& device() const { return mDevice; }
    /// Returns the point that submit() to this queue would wait for; empty if it would not wait.
    vulkan::TimelinePoint waitsFor(vulkan::Queue& queue);

private:
    struct Slot;

    Slot& slotFor(const Queue::Impl& queue, const Operations& operations, bool timed);
    void record(Slot& slot, const Queue::Impl& queue, Operations& operations, bool timed);
    /// Reads the times of finished submissions before the last one.
    void readTimes();

    const std::shared_ptr<vulkan::Device> mDevice;
    std::mutex mMutex;
    std::list<Slot> mSlots; ///< oldest submission first
};

/// Launches operations on a queue again, and returns at once.
/// @param name  of the first in profiles; empty for launchNameOf(), as for the others
void launchRepeated(const std::shared_ptr<Queue>& queue, const std::shared_ptr<Repeater>& repeater,
                    Repeater::Operations operations, std::string_view name = {});

} // namespace kp
