// SPDX-License-Identifier: Apache-2.0
#include "core/memory/MemoryAccount.hpp"

#include <algorithm>

#include "base/Text.hpp"

namespace kp {
std::vector<MemoryObject> MemoryAccount::objects() {
    std::vector<MemoryObject> found;
    {
        const std::lock_guard lock(mutex);
        for (const AccountEntry* each = first; each; each = each->mNext)
            if (!each->mCached.load(std::memory_order_relaxed))
                found.push_back({each->mName,
                                 formatted("{} of {} {}",
                                           each->mKind.isImage   ? "image"
                                           : each->mKind.isArray ? "array"
                                                                 : "tensor",
                                           each->mKind.count, Memory::toString(each->mKind.type)),
                                 each->mBytes});
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &MemoryObject::bytes);
    return found;
}

MemoryAccount::Kinds MemoryAccount::kinds() {
    Kinds kinds;
    const std::lock_guard lock(mutex);
    for (const AccountEntry* each = first; each; each = each->mNext) {
        Sum& sum = each->mCached.load(std::memory_order_relaxed) ? kinds.cached
                   : each->mKind.isImage                         ? kinds.images
                   : each->mKind.isArray                         ? kinds.arrays
                                                                 : kinds.tensors;
        ++sum.count;
        sum.bytes += each->mBytes;
    }
    return kinds;
}

void AccountEntry::open(std::shared_ptr<MemoryAccount> account, uint64_t bytes,
                        const Kind& kind) noexcept {
    close();
    mAccount = std::move(account);
    mBytes = bytes;
    mKind = kind;
    if (!mAccount)
        return;
    mAccount->allocated.add(bytes);
    const std::lock_guard lock(mAccount->mutex);
    mNext = std::exchange(mAccount->first, this);
    if (mNext)
        mNext->mPrevious = this;
}

void AccountEntry::close() noexcept {
    if (!mAccount)
        return;
    {
        const std::lock_guard lock(mAccount->mutex);
        (mPrevious ? mPrevious->mNext : mAccount->first) = mNext;
        if (mNext)
            mNext->mPrevious = mPrevious;
        mNext = mPrevious = nullptr;
    }
    if (mCached.exchange(false, std::memory_order_relaxed))
        mAccount->cached.fetch_sub(mBytes, std::memory_order_relaxed);
    else
        mAccount->allocated.subtract(mBytes);
    mAccount.reset();
}

void AccountEntry::setName(std::string name) {
    std::unique_lock<std::mutex> lock;
    if (mAccount)
        lock = std::unique_lock(mAccount->mutex);
    mName = std::move(name);
}

void AccountEntry::setArray() {
    if (!mAccount)
        return;
    const std::lock_guard lock(mAccount->mutex);
    mKind.isArray = true;
}

std::string AccountEntry::name() const {
    std::unique_lock<std::mutex> lock;
    if (mAccount)
        lock = std::unique_lock(mAccount->mutex);
    return mName;
}

} // namespace kp
