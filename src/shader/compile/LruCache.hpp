// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/Hash.hpp"

namespace kp::shader {

/// A cache of values by content hash, limited by their total size: a new value evicts the least
/// recently used ones. Values are returned by copy; use inexpensive ones, such as a shared_ptr or a
/// flag. Thread-safe. Caches of the process are never destroyed: threads may outlive static
/// objects.
template <typename Value>
class LruCache {
public:
    /// @param maxBytes  maximum sum of the sizes given to put()
    explicit LruCache(size_t maxBytes) : mMaxBytes(maxBytes) {}

    /// Returns a value, which becomes the most recently used one; nothing if it is not cached.
    std::optional<Value> get(const Hash& key) {
        const std::lock_guard lock(mMutex);
        const auto found = mIndex.find(key);
        if (found == mIndex.end())
            return std::nullopt;
        mEntries.splice(mEntries.begin(), mEntries, found->second);
        return found->second->value;
    }

    /// Stores or replaces a value. A value larger than the whole cache is not stored.
    /// @param bytes  size of the value
    void put(const Hash& key, Value value, size_t bytes) {
        const std::lock_guard lock(mMutex);
        if (const auto found = mIndex.find(key); found != mIndex.end())
            erase(found->second);
        if (bytes > mMaxBytes)
            return;
        while (mBytes > mMaxBytes - bytes)
            erase(std::prev(mEntries.end()));
        mEntries.push_front(Entry{key, std::move(value), bytes});
        mIndex.emplace(key, mEntries.begin());
        mBytes += bytes;
    }

    void clear() {
        const std::lock_guard lock(mMutex);
        mIndex.clear();
        mEntries.clear();
        mBytes = 0;
    }

    size_t size() const {
        const std::lock_guard lock(mMutex);
        return mEntries.size();
    }

    /// Returns the sum of the sizes of all values.
    size_t bytes() const {
        const std::lock_guard lock(mMutex);
        return mBytes;
    }

private:
    struct Entry {
        Hash key;
        Value value;
        size_t bytes;
    };
    using Entries = std::list<Entry>;

    void erase(typename Entries::iterator entry) {
        mBytes -= entry->bytes;
        mIndex.erase(entry->key);
        mEntries.erase(entry);
    }

    const size_t mMaxBytes;
    mutable std::mutex mMutex;
    Entries mEntries;
    std::unordered_map<Hash, typename Entries::iterator, HashOfHash> mIndex;
    size_t mBytes = 0;
};

} // namespace kp::shader
