// SPDX-License-Identifier: Apache-2.0
#include "core/Repeater.hpp"

#include <utility>

#include "core/GatheredRecording.hpp"
#include "core/Recorder.hpp"
#include "core/Recording.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

/// A recording and the arguments of its last submission.
struct Repeater::Slot {
    std::shared_ptr<Recording> recording = std::make_shared<Recording>();
    Operations operations;                ///< in the recording; empty if it is incomplete
    const vulkan::Queue* queue = nullptr; ///< that it was recorded for
    bool timed = false;
    std::weak_ptr<EventState> lastState; ///< reads its times from the recording

    bool isFor(const vulkan::Queue& wanted, const Operations& wantedOperations,
               bool wantedTimed) const {
        return queue && queue->family() == wanted.family() && timed == wantedTimed &&
               !operations.empty() && operations == wantedOperations;
    }
};

Repeater::Repeater(std::shared_ptr<vulkan::Device> device) : mDevice(std::move(device)) {}

Repeater::~Repeater() {
    for (Slot& slot : mSlots)
        Recording::release(*mDevice, std::move(slot.recording));
}

Repeater::Slot& Repeater::slotFor(const vulkan::Queue& queue, const Operations& operations,
                                  bool timed) {
    // Idle slots are at the front. The best needs no recording; otherwise take the oldest.
    size_t idle = 0;
    size_t chosen = 0;
    bool matches = false;
    for (; idle < mSlots.size() && !matches; ++idle) {
        const Slot& slot = mSlots[idle];
        if (slot.recording->pending())
            break;
        if (slot.isFor(queue, operations, timed)) {
            chosen = idle;
            matches = true;
        }
    }
    if (idle == 0 && mSlots.size() < kMaxSlots)
        return mSlots.emplace_back();
    Slot slot = std::move(mSlots[chosen]);
    mSlots.erase(mSlots.begin() + static_cast<std::ptrdiff_t>(chosen));
    return mSlots.emplace_back(std::move(slot));
}

void Repeater::record(Slot& slot, const Queue::Impl& queue, Operations& operations, bool timed) {
    Recording& recording = *slot.recording;
    slot.operations.clear();
    slot.queue = &queue.queue;
    slot.timed = timed;
    recording.begin(*mDevice, queue.queue);
    Recorder recorder(*mDevice, recording, recording.commandBuffer.handle(), queue.rules.order());
    recorder.begin(timed ? static_cast<uint32_t>(operations.size()) : 0);
    for (const std::shared_ptr<OpBase>& operation : operations)
        recorder.record(*operation);
    recorder.end();
    recording.commandBuffer.end();
    slot.operations.swap(operations);
}

vulkan::TimelinePoint Repeater::waitsFor(vulkan::Queue& queue) {
    const uint64_t last = queue.lastValue();
    if (last > kMaxLead && !queue.reached(last - kMaxLead))
        return {&queue, last - kMaxLead};
    const std::lock_guard lock(mMutex);
    if (mSlots.size() < kMaxSlots || !mSlots.front().recording->pending())
        return {};
    return mSlots.front().recording->submitted;
}

Submitted Repeater::submit(const Queue::Impl& queue, Operations& operations, bool timed,
                           std::span<const vulkan::TimelinePoint> waits,
                           const std::shared_ptr<EventState>& state) {
    if (queue.rules.coalesce && !timed && operations.size() == 1) {
        queue.queue.limitLead(kMaxLead, queue.rules.waitMode);
        if (const auto point = gather(queue.queue, *operations.front(), waits))
            return {*point, {}};
    }
    const std::lock_guard lock(mMutex);
    Slot& slot = slotFor(queue.queue, operations, timed);
    Recording* const recording = slot.recording.get();
    if (recording->pending())
        recording->submitted.queue->wait(recording->submitted.value, UINT64_MAX,
                                         queue.rules.waitMode);
    if (const std::shared_ptr<EventState> last = slot.lastState.lock())
        last->readTimes();
    slot.lastState.reset();
    if (!slot.isFor(queue.queue, operations, timed))
        record(slot, queue, operations, timed);
    Submitted work = kp::submit(queue.queue, {&recording, 1}, waits, queue.rules.coalesce);
    if (state && timed) {
        slot.lastState = state;
        state->timedBy(slot.recording);
    }
    return work;
}

} // namespace kp
