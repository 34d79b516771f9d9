// SPDX-License-Identifier: Apache-2.0
#include "core/queue/Repeater.hpp"

#include <utility>

#include <kompute/Error.hpp>

#include "core/queue/OperationLaunch.hpp"
#include "core/sequence/GatheredRecording.hpp"
#include "core/sequence/Recorder.hpp"
#include "core/sequence/Recording.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

/// A recording and the arguments of its last submission.
struct Repeater::Slot {
    std::shared_ptr<Recording> recording = std::make_shared<Recording>();
    Operations operations;                ///< in the recording; empty if it is incomplete
    const vulkan::Queue* queue = nullptr; ///< that it was recorded for
    bool timed = false;
    bool unread = false;                 ///< the times of the last submission are in the recording
    std::weak_ptr<EventState> lastState; ///< that they belong to

    bool isFor(const vulkan::Queue& wanted, const Operations& wantedOperations,
               bool wantedTimed) const {
        return queue && queue->family() == wanted.family() && timed == wantedTimed &&
               !operations.empty() && operations == wantedOperations;
    }

    /// Requires that the recording is not pending.
    void readTimes() {
        if (!unread)
            return;
        if (const std::shared_ptr<EventState> state = lastState.lock())
            state->readTimes();
        lastState.reset();
        recording->resetQueries();
        unread = false;
    }
};

Repeater::Repeater(std::shared_ptr<vulkan::Device> device) : mDevice(std::move(device)) {}

Repeater::~Repeater() {
    for (Slot& slot : mSlots)
        Recording::release(*mDevice, std::move(slot.recording));
}

Repeater::Slot& Repeater::slotFor(const Queue::Impl& queue, const Operations& operations,
                                  bool timed) {
    // Idle slots are at the front. The best needs no recording, the next best is the oldest. Among
    // equal ones, prefer one with nothing to read.
    const auto unread = [&](const Slot& slot) { return slot.unread && queue.rules.readTimesLater; };
    auto chosen = mSlots.begin();
    int most = -1;
    for (auto slot = chosen; slot != mSlots.end() && most < 3; ++slot) {
        if (slot->recording->pending())
            break;
        const int value = 2 * slot->isFor(queue.queue, operations, timed) + !unread(*slot);
        if (value > most) {
            chosen = slot;
            most = value;
        }
    }
    const bool noneIdle = most < 0;
    if (noneIdle ? mSlots.size() < kMaxSlots : mSlots.size() < 2 && unread(*chosen))
        return mSlots.emplace_back();
    mSlots.splice(mSlots.end(), mSlots, chosen);
    return mSlots.back();
}

void Repeater::record(Slot& slot, const Queue::Impl& queue, Operations& operations, bool timed) {
    Recording& recording = *slot.recording;
    slot.operations.clear();
    slot.queue = &queue.queue;
    slot.timed = timed;
    recording.begin(*mDevice, queue.queue, [&] { return queue.describe(); });
    Recorder recorder(*mDevice, recording, recording.commandBuffer.handle(), queue.rules.order());
    recorder.begin(timed ? static_cast<uint32_t>(operations.size()) : 0);
    for (const std::shared_ptr<OpBase>& operation : operations)
        recorder.record(*operation);
    recorder.end();
    recording.commandBuffer.end();
    slot.operations.swap(operations);
}

vulkan::TimelinePoint Repeater::waitsFor(vulkan::Queue& queue) {
    if (const vulkan::TimelinePoint point = OperationLaunch::waitsFor(queue); point.queue)
        return point;
    const std::lock_guard lock(mMutex);
    if (mSlots.size() < kMaxSlots || !mSlots.front().recording->pending())
        return {};
    return mSlots.front().recording->submitted;
}

Submitted Repeater::submit(const Queue::Impl& queue, Operations& operations, bool timed,
                           std::span<const vulkan::TimelinePoint> waits,
                           const std::shared_ptr<EventState>& state) {
    if (queue.rules.coalesce && !timed && operations.size() == 1) {
        if (const vulkan::TimelinePoint point = OperationLaunch::waitsFor(queue.queue); point.queue)
            queue.queue.wait(point.value, UINT64_MAX, queue.rules.waitMode);
        if (const auto point = gather(queue.queue, queue.rules, *operations.front(), waits))
            return {*point, {}, {}};
    }
    const std::lock_guard lock(mMutex);
    Slot& slot = slotFor(queue, operations, timed);
    Recording* const recording = slot.recording.get();
    if (recording->pending())
        recording->submitted.queue->wait(recording->submitted.value, UINT64_MAX,
                                         queue.rules.waitMode);
    slot.readTimes();
    if (!slot.isFor(queue.queue, operations, timed))
        record(slot, queue, operations, timed);
    Submitted work = kp::submit(queue.queue, {&recording, 1}, waits, queue.rules);
    if (state && timed) {
        slot.lastState = state;
        slot.unread = true;
        state->timedBy(slot.recording);
        if (queue.rules.readTimesLater)
            readTimes();
    }
    return work;
}

void Repeater::readTimes() {
    try {
        const Slot* const last = &mSlots.back();
        for (Slot& slot : mSlots)
            if (slot.unread && &slot != last) {
                if (slot.recording->pending())
                    return; // later ones are, too
                slot.readTimes();
            }
    } catch (const Error&) { // the next reader of the times, or the next submission, gets it
    }
}

void launchRepeated(const std::shared_ptr<Queue>& queue, const std::shared_ptr<Repeater>& repeater,
                    Repeater::Operations operations, std::string_view name) {
    Queue::Impl& impl = implOf(*queue);
    const bool timed = queue->profiling();
    const LaunchNames names(operations, timed, name);
    const Event event = impl.launch(
        {}, timed,
        [&](Queue::Impl::Points waits, const std::shared_ptr<EventState>& state) {
            return repeater->submit(impl, operations, timed, waits, state);
        },
        [&]() -> Queue::Impl::Submit {
            return [queue, repeater, timed,
                    later = operations](Queue::Impl::Points waits,
                                        const std::shared_ptr<EventState>& state) mutable {
                return repeater->submit(implOf(*queue), later, timed, waits, state);
            };
        });
    names.log(impl, event);
}

} // namespace kp
