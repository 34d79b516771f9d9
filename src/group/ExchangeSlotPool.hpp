// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "group/ExchangeSlot.hpp"

namespace kp::group {

/// Reusable slots of one path between the same devices. Thread-safe.
class ExchangeSlotPool {
public:
    ExchangeSlotPool(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices)
        : mPath(path), mSizes(slotSizes(path)), mDevices(std::move(devices)) {}

    /// Slots in use. Returns them to the pool when destroyed; they may still have readers then.
    class Lease {
    public:
        Lease(ExchangeSlotPool& owner, std::vector<std::unique_ptr<ExchangeSlot>> slots)
            : mOwner(owner), mSlots(std::move(slots)) {}
        ~Lease() { mOwner.giveBack(std::move(mSlots)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        size_t size() const { return mSlots.size(); }
        ExchangeSlot& operator[](size_t index) { return *mSlots[index]; }

    private:
        ExchangeSlotPool& mOwner;
        std::vector<std::unique_ptr<ExchangeSlot>> mSlots;
    };
    /// Returns @p count slots, or SlotSizes::perLease if that is less. Waits until other leases end
    /// if there would be more than SlotSizes::max.
    Lease lease(size_t count);
    /// Returns the bytes of all slots.
    uint64_t bytes() const;

private:
    void giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots);

    const ExchangePath mPath;
    const SlotSizes mSizes;
    const std::vector<std::shared_ptr<vulkan::Device>> mDevices;
    mutable std::mutex mMutex; ///< guards the members below
    std::condition_variable mReturned;
    std::vector<std::unique_ptr<ExchangeSlot>> mIdle;
    size_t mLeased = 0;
};

} // namespace kp::group
