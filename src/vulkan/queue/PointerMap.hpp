// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kp::vulkan {

/// A hash map from pointers to small values, with open addressing and linear probing. clear() takes
/// constant time and keeps the memory, so a map that is filled again and again allocates nothing.
/// Single entries cannot be removed. Not thread-safe.
template <typename Value>
class PointerMap {
public:
    /// Returns the value of @p key, which is added as Value{} if it is missing. References stay
    /// valid until the next call that adds an entry.
    /// @param isNew  set to true if it was added
    Value& at(const void* key, bool& isNew) {
        if (mCount == mMaxCount) [[unlikely]]
            grow();
        Slot& slot = slotOf(key);
        isNew = slot.generation != mGeneration;
        if (isNew) {
            slot.generation = mGeneration;
            slot.key = key;
            slot.value = Value{};
            ++mCount;
        }
        return slot.value;
    }

    void clear() {
        ++mGeneration;
        mCount = 0;
    }

private:
    struct Slot {
        const void* key = nullptr;
        uint64_t generation = 0; ///< holds an entry if it is the map's
        Value value{};
    };

    Slot& slotOf(const void* key) {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) uses the upper bits of
        // the product, which are well mixed.
        const uint64_t mixed = reinterpret_cast<uintptr_t>(key) * 0x9e3779b97f4a7c15u;
        size_t index = static_cast<size_t>(mixed >> mShift);
        while (mSlots[index].generation == mGeneration && mSlots[index].key != key)
            index = (index + 1) & mMask;
        return mSlots[index];
    }

    void grow() {
        std::vector<Slot> old(mSlots.empty() ? 16 : mSlots.size() * 2);
        std::swap(old, mSlots);
        mMask = mSlots.size() - 1;
        mMaxCount = mSlots.size() / 2;
        if (!old.empty())
            --mShift;
        for (const Slot& slot : old)
            if (slot.generation == mGeneration)
                slotOf(slot.key) = slot;
    }

    std::vector<Slot> mSlots;
    uint64_t mGeneration = 1;
    size_t mCount = 0;
    size_t mMaxCount = 0; ///< before mSlots grows
    size_t mMask = 0;
    int mShift = 60;
};

} // namespace kp::vulkan
