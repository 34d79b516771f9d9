// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/PeakCounter.hpp"

namespace kp {

/// The device memory of a manager's tensors, images and arrays, in bytes. Thread-safe. The objects
/// may outlive the manager, and keep the account.
struct MemoryAccount {
    PeakCounter allocated;
    std::atomic<uint64_t> cached{0}; ///< of freed arrays
};

/// The bytes of one object in an account.
class AccountEntry {
public:
    AccountEntry() = default;
    ~AccountEntry() { close(); }
    AccountEntry(const AccountEntry&) = delete;
    AccountEntry& operator=(const AccountEntry&) = delete;

    void open(std::shared_ptr<MemoryAccount> account, uint64_t bytes) noexcept {
        close();
        mAccount = std::move(account);
        mBytes = bytes;
        if (mAccount)
            mAccount->allocated.add(bytes);
    }
    void close() noexcept {
        if (!mAccount)
            return;
        if (std::exchange(mCached, false))
            mAccount->cached.fetch_sub(mBytes, std::memory_order_relaxed);
        else
            mAccount->allocated.subtract(mBytes);
        mAccount.reset();
    }
    /// Call it with true when the memory is only kept for reuse, and with false when it is in use.
    void setCached(bool cached) noexcept {
        if (!mAccount || mCached == cached)
            return;
        mCached = cached;
        if (cached) {
            mAccount->cached.fetch_add(mBytes, std::memory_order_relaxed);
            mAccount->allocated.subtract(mBytes);
        } else {
            mAccount->cached.fetch_sub(mBytes, std::memory_order_relaxed);
            mAccount->allocated.add(mBytes);
        }
    }
    const std::shared_ptr<MemoryAccount>& account() const { return mAccount; }

private:
    std::shared_ptr<MemoryAccount> mAccount; ///< null unless open
    uint64_t mBytes = 0;
    bool mCached = false;
};

} // namespace kp
