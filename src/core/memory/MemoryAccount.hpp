// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Manager.hpp>

#include "base/PeakCounter.hpp"

namespace kp {

class AccountEntry;

/// The device memory of a manager's tensors, images and arrays, in bytes. Thread-safe. The objects
/// may outlive the manager, and keep the account.
struct MemoryAccount {
    PeakCounter allocated;
    std::atomic<uint64_t> cached{0}; ///< of freed arrays

    /// Returns the objects in use, the largest first.
    std::vector<MemoryObject> objects();

    struct Sum {
        uint64_t count = 0;
        uint64_t bytes = 0;
    };
    struct Kinds {
        Sum tensors;
        Sum images;
        Sum arrays;
        Sum cached;
    };
    Kinds kinds();

    std::mutex mutex;              ///< guards the list and the names in it
    AccountEntry* first = nullptr; ///< of the list of all entries
};

/// The bytes of one object in an account.
class AccountEntry {
public:
    /// The object of an entry.
    struct Kind {
        bool isImage = false;
        bool isArray = false; ///< set by setArray()
        Memory::DataTypes type = Memory::DataTypes::eFloat;
        uint64_t count = 0; ///< of elements
    };

    AccountEntry() = default;
    ~AccountEntry() { close(); }
    AccountEntry(const AccountEntry&) = delete;
    AccountEntry& operator=(const AccountEntry&) = delete;

    void open(std::shared_ptr<MemoryAccount> account, uint64_t bytes, const Kind& kind) noexcept;
    void close() noexcept;
    /// Call it with true when the memory is only kept for reuse, and with false when it is in use.
    void setCached(bool cached) noexcept {
        if (!mAccount || mCached.load(std::memory_order_relaxed) == cached)
            return;
        mCached.store(cached, std::memory_order_relaxed);
        if (cached) {
            mAccount->cached.fetch_add(mBytes, std::memory_order_relaxed);
            mAccount->allocated.subtract(mBytes);
        } else {
            mAccount->cached.fetch_sub(mBytes, std::memory_order_relaxed);
            mAccount->allocated.add(mBytes);
        }
    }
    void setName(std::string name);
    std::string name() const;
    void setArray(); ///< it is the memory of an array
    const std::shared_ptr<MemoryAccount>& account() const { return mAccount; }

private:
    friend struct MemoryAccount;

    std::shared_ptr<MemoryAccount> mAccount; ///< null unless open
    uint64_t mBytes = 0;
    Kind mKind;
    std::string mName;
    std::atomic<bool> mCached{false};
    AccountEntry* mNext = nullptr;
    AccountEntry* mPrevious = nullptr;
};

} // namespace kp
