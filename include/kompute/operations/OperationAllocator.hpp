// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

#include <kompute/Export.hpp>

namespace kp::detail {

/// Memory for an operation: from what this thread gave back before, else from the heap. Never null.
/// @throws std::bad_alloc
KOMPUTE_API void* takeOperationMemory(size_t bytes);
/// Gives it back, in any thread. @param bytes  as it was taken
KOMPUTE_API void giveOperationMemory(void* memory, size_t bytes) noexcept;

/// The allocator of the operations that Sequence::record makes. Sequences make and drop them in the
/// hundreds, which is where a heap is slow.
template <typename T>
struct OperationAllocator {
    using value_type = T;

    OperationAllocator() = default;
    template <typename U>
    OperationAllocator(const OperationAllocator<U>&) noexcept {}

    T* allocate(size_t count) {
        if constexpr (alignof(T) > alignof(std::max_align_t))
            return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignof(T))));
        else
            return static_cast<T*>(takeOperationMemory(count * sizeof(T)));
    }
    void deallocate(T* memory, size_t count) noexcept {
        if constexpr (alignof(T) > alignof(std::max_align_t))
            ::operator delete(memory, std::align_val_t(alignof(T)));
        else
            giveOperationMemory(memory, count * sizeof(T));
    }

    template <typename U>
    bool operator==(const OperationAllocator<U>&) const noexcept {
        return true;
    }
    template <typename U>
    bool operator!=(const OperationAllocator<U>&) const noexcept {
        return false;
    }
};

} // namespace kp::detail
