// SPDX-License-Identifier: Apache-2.0
#include "core/Repeater.hpp"

#include <algorithm>
#include <utility>

#include "core/MemoryImpl.hpp"
#include "core/Recorder.hpp"
#include "vulkan/Queue.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Submission.hpp"

namespace kp {

/// A recorded command buffer with its timestamps, and what it was submitted for last.
struct Repeater::Slot final : TimeSource {
    Recording recording;
    Operations operations; ///< what is recorded; empty: nothing that may be submitted
    uint32_t family = 0;
    bool timed = false;
    double nanosecondsPerTick = 1;
    uint32_t tickBits = 64;
    std::weak_ptr<EventState> lastState; ///< that reads its times from here

    std::vector<uint64_t> readTimes() override {
        return vulkan::toNanoseconds(recording.queries.read(recording.timestamps), tickBits,
                                     nanosecondsPerTick);
    }
    bool pending() const {
        return recording.submitted.queue &&
               !recording.submitted.queue->reached(recording.submitted.value);
    }
};

Repeater::Repeater(std::shared_ptr<vulkan::Device> device) : mDevice(std::move(device)) {}

Repeater::~Repeater() {
    for (std::shared_ptr<Slot>& slot : mSlots) {
        const vulkan::TimelinePoint point = slot->recording.submitted;
        // What the device needs, the recording keeps. These know the device, which must not be kept
        // by its own retirement list.
        slot->operations.clear();
        slot->recording.padded.clear();
        if (point.queue)
            mDevice->retirement().retire({point},
                                         [kept = std::move(slot)]() mutable { kept.reset(); });
    }
}

size_t Repeater::slotCount() const {
    const std::lock_guard lock(mMutex);
    return mSlots.size();
}

Repeater::Slot& Repeater::slotFor(const vulkan::Queue& queue, const Operations& operations,
                                  bool timed) {
    // Idle ones are at the front. One that needs no recording is best, else the oldest.
    size_t idle = 0;
    size_t chosen = 0;
    bool matches = false;
    for (; idle < mSlots.size() && !matches; ++idle) {
        const Slot& slot = *mSlots[idle];
        if (slot.pending())
            break;
        if (slot.family == queue.family() && slot.timed == timed && !slot.operations.empty() &&
            slot.operations == operations) {
            chosen = idle;
            matches = true;
        }
    }
    if (idle == 0 && mSlots.size() < kMostSlots) {
        mSlots.push_back(std::make_shared<Slot>());
        return *mSlots.back();
    }
    std::shared_ptr<Slot> slot = std::move(mSlots[chosen]);
    mSlots.erase(mSlots.begin() + static_cast<std::ptrdiff_t>(chosen));
    mSlots.push_back(std::move(slot));
    return *mSlots.back();
}

void Repeater::record(Slot& slot, const vulkan::Queue& queue, Operations& operations, bool timed) {
    Recording& recording = slot.recording;
    slot.operations.clear();
    if (!recording.commandBuffer || slot.family != queue.family()) {
        recording.commandBuffer = mDevice->commandBuffers().acquire(queue.family());
        slot.family = queue.family();
    }
    slot.timed = timed;
    slot.nanosecondsPerTick = mDevice->physical().properties.limits.timestampPeriod;
    slot.tickBits = queue.timestampValidBits();
    recording.reset();
    recording.commandBuffer.begin(false);
    Recorder recorder(*mDevice, recording, recording.commandBuffer.handle());
    recorder.begin(timed ? static_cast<uint32_t>(operations.size()) : 0);
    for (const std::shared_ptr<OpBase>& operation : operations)
        recorder.record(*operation);
    recorder.end();
    recording.commandBuffer.end();
    slot.operations.swap(operations);
}

vulkan::TimelinePoint Repeater::submit(vulkan::Queue& queue, Operations& operations, bool timed,
                                       std::span<const vulkan::TimelinePoint> waits,
                                       const std::shared_ptr<EventState>& state) {
    const std::lock_guard lock(mMutex);
    Slot& slot = slotFor(queue, operations, timed);
    Recording& recording = slot.recording;
    if (slot.pending())
        recording.submitted.queue->wait(recording.submitted.value, UINT64_MAX,
                                        mDevice->defaultWaitMode());
    if (const std::shared_ptr<EventState> last = slot.lastState.lock())
        last->readTimes();
    slot.lastState.reset();
    if (slot.timed != timed || slot.family != queue.family() || slot.operations != operations)
        record(slot, queue, operations, timed);
    for (const std::shared_ptr<Memory>& memory : recording.padded)
        if (memory->isInit())
            memory->impl().pushRows();
    const VkCommandBuffer commandBuffer = recording.commandBuffer.handle();
    recording.submitted =
        vulkan::submitOrdered(queue, {&commandBuffer, 1}, recording.accesses, waits);
    if (state && timed) {
        slot.lastState = state;
        state->timedBy(mSlots.back());
    }
    if (state && !recording.padded.empty())
        state->setPadded(recording.padded);
    return recording.submitted;
}

} // namespace kp
