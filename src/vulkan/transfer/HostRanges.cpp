// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/HostRanges.hpp"

#include <algorithm>
#include <utility>

namespace kp::vulkan {
namespace {

uintptr_t addressOf(const void* memory) {
    return reinterpret_cast<uintptr_t>(memory);
}

} // namespace

uint64_t HostRanges::add(const void* memory, uint64_t bytes, std::shared_ptr<Buffer> buffer,
                         uint64_t offset) {
    const std::lock_guard lock(mMutex);
    const uint64_t number = ++mLastNumber;
    mRanges.emplace(addressOf(memory), Range{addressOf(memory) + static_cast<uintptr_t>(bytes),
                                             std::move(buffer), offset, number});
    mLongest = std::max(mLongest, bytes);
    mCount.store(mRanges.size(), std::memory_order_release);
    return number;
}

void HostRanges::remove(uint64_t number) {
    std::shared_ptr<Buffer> last; // freed outside the lock
    const std::lock_guard lock(mMutex);
    const auto found = std::find_if(mRanges.begin(), mRanges.end(), [&](const auto& range) {
        return range.second.number == number;
    });
    if (found == mRanges.end())
        return;
    last = std::move(found->second.buffer);
    mRanges.erase(found);
    mCount.store(mRanges.size(), std::memory_order_release);
}

HostRanges::Part HostRanges::find(const void* memory, uint64_t bytes) const {
    if (mCount.load(std::memory_order_acquire) == 0)
        return {nullptr, 0, bytes};
    const std::lock_guard lock(mMutex);
    const uintptr_t address = addressOf(memory);
    const auto after = mRanges.upper_bound(address);
    for (auto range = after; range != mRanges.begin();) {
        --range;
        if (address - range->first >= mLongest)
            break;
        if (range->second.end > address)
            return {range->second.buffer, range->second.offset + (address - range->first),
                    std::min<uint64_t>(bytes, range->second.end - address)};
    }
    const uint64_t free = after == mRanges.end() ? bytes : uint64_t{after->first - address};
    return {nullptr, 0, std::min(bytes, free)};
}

} // namespace kp::vulkan
