// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/BufferCache.hpp"

#include <algorithm>
#include <utility>

#include "vulkan/memory/Buffer.hpp"

namespace kp::vulkan {

BufferCache::Buffers BufferCache::find(const std::string& name) {
    const std::lock_guard lock(mMutex);
    const auto found = std::find_if(mEntries.begin(), mEntries.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    if (found == mEntries.end())
        return {};
    mEntries.splice(mEntries.begin(), mEntries, found);
    return found->buffers;
}

void BufferCache::keep(const std::string& name, Buffers buffers) {
    Entry entry{name, std::move(buffers)};
    for (const std::shared_ptr<Buffer>& buffer : entry.buffers)
        entry.bytes += buffer->size();
    if (entry.bytes > kMaxBytes)
        return;
    std::list<Entry> removed; // destroyed without the lock
    const std::lock_guard lock(mMutex);
    for (const Entry& other : mEntries)
        if (other.name == name)
            return;
    mBytes += entry.bytes;
    mEntries.push_front(std::move(entry));
    while (mBytes > kMaxBytes) {
        mBytes -= mEntries.back().bytes;
        removed.splice(removed.begin(), mEntries, std::prev(mEntries.end()));
    }
}

bool BufferCache::clear() {
    std::list<Entry> removed;
    const std::lock_guard lock(mMutex);
    removed.swap(mEntries);
    mBytes = 0;
    return !removed.empty();
}

uint64_t BufferCache::bytes() const {
    const std::lock_guard lock(mMutex);
    return mBytes;
}

} // namespace kp::vulkan
