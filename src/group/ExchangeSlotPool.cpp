// SPDX-License-Identifier: Apache-2.0
#include "group/ExchangeSlotPool.hpp"

#include <algorithm>
#include <utility>

namespace kp::group {

ExchangeSlotPool::Lease ExchangeSlotPool::lease(size_t count) {
    count = std::clamp<size_t>(count, 1, mSizes.perLease);
    std::vector<std::unique_ptr<ExchangeSlot>> slots;
    std::unique_lock lock(mMutex);
    mReturned.wait(lock, [&] { return mLeased + count <= mSizes.max; });
    mLeased += count;
    while (slots.size() < count && !mIdle.empty()) {
        slots.push_back(std::move(mIdle.back()));
        mIdle.pop_back();
    }
    lock.unlock();
    try {
        while (slots.size() < count)
            slots.push_back(std::make_unique<ExchangeSlot>(mPath, mDevices));
    } catch (...) {
        lock.lock();
        mLeased -= count - slots.size();
        lock.unlock();
        giveBack(std::move(slots));
        throw;
    }
    return Lease(*this, std::move(slots));
}

void ExchangeSlotPool::giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots) {
    std::vector<std::unique_ptr<ExchangeSlot>> freed; // destroyed after the lock is released
    {
        const std::lock_guard lock(mMutex);
        mLeased -= slots.size();
        for (std::unique_ptr<ExchangeSlot>& slot : slots)
            (mIdle.size() < mSizes.kept ? mIdle : freed).push_back(std::move(slot));
    }
    mReturned.notify_all();
}

uint64_t ExchangeSlotPool::bytes() const {
    const std::lock_guard lock(mMutex);
    return (mIdle.size() + mLeased) * mSizes.bytes;
}

} // namespace kp::group
