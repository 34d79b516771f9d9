// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "core/EventState.hpp"
#include "vulkan/Device.hpp"

namespace kp {

/// Submits one list of operations over and over. A recorded command buffer is submitted again as
/// long as the operations are the very same objects; others are recorded into one that the device
/// is done with. Operations are not changed once they were given here. There are no hooks:
/// preEval() and postEval() are not called.
///
/// Command buffers and their timestamps are a ring: a new one is made only where the device is busy
/// with all there are, up to kMostSlots; then a submission waits for the oldest, which bounds what
/// a program can queue up. Thread-safe.
class Repeater {
public:
    using Operations = std::vector<std::shared_ptr<OpBase>>;
    static constexpr size_t kMostSlots = 32;

    explicit Repeater(std::shared_ptr<vulkan::Device> device);
    ~Repeater();
    Repeater(const Repeater&) = delete;
    Repeater& operator=(const Repeater&) = delete;

    /// @param operations  taken over where they are recorded
    /// @param timed  with timestamps; @p state then gets them
    /// @param state  may be null where not timed
    vulkan::TimelinePoint submit(vulkan::Queue& queue, Operations& operations, bool timed,
                                 std::span<const vulkan::TimelinePoint> waits,
                                 const std::shared_ptr<EventState>& state);

    size_t slotCount() const;

private:
    struct Slot;

    Slot& slotFor(const vulkan::Queue& queue, const Operations& operations, bool timed);
    void record(Slot& slot, const vulkan::Queue& queue, Operations& operations, bool timed);

    const std::shared_ptr<vulkan::Device> mDevice;
    mutable std::mutex mMutex;
    std::deque<std::shared_ptr<Slot>> mSlots; ///< the one submitted longest ago first
};

} // namespace kp
