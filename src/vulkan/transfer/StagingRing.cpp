// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/StagingRing.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp::vulkan {

CommandBuffer& StagingRing::Lease::commands(uint32_t family) {
    if (!mObject->commands || mObject->family != family) {
        mObject->commands = mPool->mDevice.commandBuffers().acquire(family);
        mObject->family = family;
    }
    return mObject->commands;
}

StagingRing::Lease StagingRing::acquire(uint64_t bytes, uint64_t usual, const Limits& limits,
                                        bool wait) {
    const uint64_t size = std::max(bytes, usual);
    bool mayMake = true;
    std::unique_lock lock(mMutex);
    for (;;) {
        if (Slot* slot = takeReady(bytes))
            return Lease(*this, slot);
        if (mSlots.size() >= limits.count || mBytes + size > limits.bytes)
            dropSmaller(bytes);
        const bool room = mSlots.size() < limits.count && mBytes + size <= limits.bytes;
        if (mSlots.empty() || (mayMake && room)) {
            try {
                return Lease(*this, make(size, lock));
            } catch (const OutOfMemory&) {
                // The existing ones have to suffice.
                if (mSlots.empty())
                    throw;
                mayMake = false;
                dropSmaller(bytes);
                continue;
            }
        }
        if (!wait)
            return {};
        if (!mayMake)
            dropSmaller(bytes);
        Slot* busy = takeOldest();
        if (!busy) {
            mFree.wait(lock);
            continue;
        }
        lock.unlock();
        Lease lease(*this, busy);
        const TimelinePoint& done = busy->done;
        done.queue->wait(done.value, UINT64_MAX, mDevice.defaultWaitMode());
        if (busy->bytes >= bytes)
            return lease;
        lease = {};
        lock.lock();
        dropSmaller(bytes);
    }
}

StagingRing::Slot* StagingRing::takeReady(uint64_t bytes) {
    Slot* best = nullptr;
    for (const auto& slot : mSlots)
        if (!slot->taken && slot->bytes >= bytes && (!best || slot->bytes < best->bytes) &&
            DeletionQueue::reached(slot->done))
            best = slot.get();
    if (best)
        best->taken = true;
    return best;
}

StagingRing::Slot* StagingRing::takeOldest() {
    Slot* oldest = nullptr;
    for (const auto& slot : mSlots)
        if (!slot->taken && slot->done.queue && (!oldest || slot->used < oldest->used))
            oldest = slot.get();
    if (oldest)
        oldest->taken = true;
    return oldest;
}

template <typename Predicate>
void StagingRing::dropIdle(const Predicate& due) {
    for (size_t i = mSlots.size(); i-- > 0;) {
        const Slot& slot = *mSlots[i];
        if (!slot.taken && due(slot) && DeletionQueue::reached(slot.done))
            remove(slot);
    }
}

void StagingRing::dropSmaller(uint64_t bytes) {
    dropIdle([&](const Slot& slot) { return slot.bytes < bytes; });
}

StagingRing::Slot* StagingRing::make(uint64_t bytes, std::unique_lock<std::mutex>& lock) {
    mSlots.push_back(std::make_unique<Slot>());
    Slot& slot = *mSlots.back();
    slot.bytes = bytes;
    mBytes += bytes;
    lock.unlock();
    try {
        slot.buffer = Buffer::create(mDevice, bytes, MemoryPlace::eStaging);
    } catch (...) {
        lock.lock();
        remove(slot);
        mFree.notify_all();
        throw;
    }
    lock.lock();
    return &slot;
}

void StagingRing::remove(const Slot& slot) {
    mBytes -= slot.bytes;
    std::erase_if(mSlots, [&](const auto& other) { return other.get() == &slot; });
}

void StagingRing::recycle(Slot* slot) {
    {
        const std::lock_guard lock(mMutex);
        slot->taken = false;
        slot->used = Clock::now();
    }
    mFree.notify_one();
}

uint64_t StagingRing::trim(Clock::duration unused) {
    const std::lock_guard lock(mMutex);
    const Clock::time_point now = Clock::now();
    dropIdle([&](const Slot& slot) { return now - slot.used >= unused; });
    return mBytes;
}

uint64_t StagingRing::bytes() const {
    const std::lock_guard lock(mMutex);
    return mBytes;
}

} // namespace kp::vulkan
