// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace kp {

/// A number of bytes, and its peak since the last reset. Thread-safe.
class PeakCounter {
public:
    void add(uint64_t bytes) noexcept {
        const uint64_t now = mNow.fetch_add(bytes, std::memory_order_relaxed) + bytes;
        uint64_t peak = mPeak.load(std::memory_order_relaxed);
        while (peak < now && !mPeak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
        }
    }
    void subtract(uint64_t bytes) noexcept { mNow.fetch_sub(bytes, std::memory_order_relaxed); }

    uint64_t now() const noexcept { return mNow.load(std::memory_order_relaxed); }
    /// Returns at least now().
    uint64_t peak() const noexcept {
        return std::max(mPeak.load(std::memory_order_relaxed), now());
    }
    void resetPeak() noexcept { mPeak.store(now(), std::memory_order_relaxed); }

private:
    std::atomic<uint64_t> mNow{0};
    std::atomic<uint64_t> mPeak{0};
};

} // namespace kp
