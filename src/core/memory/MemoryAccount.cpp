// SPDX-License-Identifier: Apache-2.0
#include "core/memory/MemoryAccount.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

constexpr size_t kMaxListedObjects = 5; ///< objects in a message

} // namespace

std::vector<MemoryObject> MemoryAccount::objects() {
    std::vector<MemoryObject> found;
    {
        const std::lock_guard lock(mutex);
        for (const AccountEntry* each = first; each; each = each->mNext)
            if (!each->mCached.load(std::memory_order_relaxed))
                found.push_back({each->mName,
                                 formatted("{} of {} {}", each->mKind.isImage ? "image" : "tensor",
                                           each->mKind.count, Memory::toString(each->mKind.type)),
                                 each->mBytes});
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &MemoryObject::bytes);
    return found;
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
    if (!mAccount)
        return;
    const std::lock_guard lock(mAccount->mutex);
    mName = std::move(name);
}

OutOfMemory withHolders(const OutOfMemory& error, MemoryAccount& account) {
    const std::vector<MemoryObject> objects = account.objects();
    std::vector<std::string> reasons = error.reasons();
    uint64_t others = 0;
    for (size_t i = 0; i < objects.size(); ++i) {
        const MemoryObject& each = objects[i];
        if (i >= kMaxListedObjects)
            others += each.bytes;
        else
            reasons.push_back(formatted("{}{} has {} bytes",
                                        each.name.empty() ? "" : "'" + each.name + "', ", each.kind,
                                        each.bytes));
    }
    if (objects.size() > kMaxListedObjects)
        reasons.push_back(
            formatted("{} more have {} bytes", objects.size() - kMaxListedObjects, others));
    const std::string whole = error.what();
    return OutOfMemory(whole.substr(0, whole.find('\n')), error.vkResult(), std::move(reasons));
}

} // namespace kp
