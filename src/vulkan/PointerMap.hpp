// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kp::vulkan {

/// A hash map from pointers to small values for work that is done again and again: it keeps its
/// memory when it is cleared, clearing costs nothing, and entries lie side by side (open addressing
/// with linear probing). Entries cannot be removed one by one. Not thread-safe.
template <typename Value>
class PointerMap {
public:
    /// The value of @p key, made (as Value{}) where there is none. @param isNew  set to whether it
    /// was made now. References stay valid until the next call that makes an entry, or as reserve()
    /// promises.
    Value& at(const void* key, bool& isNew) {
        if ((mCount + 1) * 2 > mSlots.size())
            grow((mCount + 1) * 2);
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

    /// References stay valid while no more than @p count entries are added after this call.
    void reserve(size_t count) {
        if ((mCount + count) * 2 > mSlots.size())
            grow((mCount + count) * 2);
    }

    void clear() {
        ++mGeneration;
        mCount = 0;
    }

private:
    struct Slot {
        const void* key = nullptr;
        uint64_t generation = 0; ///< holds an entry where it is the map's
        Value value{};
    };

    Slot& slotOf(const void* key) {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): the upper bits of the
        // product are well mixed.
        const uint64_t mixed = reinterpret_cast<uintptr_t>(key) * 0x9e3779b97f4a7c15u;
        size_t index = static_cast<size_t>(mixed >> mShift);
        while (mSlots[index].generation == mGeneration && mSlots[index].key != key)
            index = (index + 1) & (mSlots.size() - 1);
        return mSlots[index];
    }

    void grow(size_t slots) {
        std::vector<Slot> old = std::move(mSlots);
        size_t size = 16;
        mShift = 60;
        while (size < slots) {
            size *= 2;
            --mShift;
        }
        mSlots = std::vector<Slot>(size);
        for (const Slot& slot : old)
            if (slot.generation == mGeneration)
                slotOf(slot.key) = slot;
    }

    std::vector<Slot> mSlots;
    uint64_t mGeneration = 1;
    size_t mCount = 0;
    int mShift = 60;
};

} // namespace kp::vulkan
