// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OperationAllocator.hpp>

#include <cstdint>

namespace kp::detail {
namespace {

constexpr size_t kStep = 64; ///< sizes are rounded up to it
constexpr size_t kClasses = 4;
/// Blocks of one size that a thread keeps: 256 KiB of the largest.
constexpr uint32_t kMostKept = 1024;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false; // the sanitizer looks at what is freed
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
#else
constexpr bool kKeeps = true;
#endif

struct Block {
    Block* next;
};

struct Kept {
    Block* first = nullptr;
    uint32_t room = 0; ///< for so many more
};

/// Free blocks of a thread. What is given back after the thread's own destructors ran goes to the
/// heap: the flags are of a kind that has no destructor.
thread_local Kept tKept[kClasses];
thread_local bool tWatched = false;

/// Frees a thread's blocks at its end.
struct Watch {
    Watch() {
        tWatched = true;
        for (Kept& kept : tKept)
            kept.room = kMostKept;
    }
    ~Watch() {
        for (Kept& kept : tKept) {
            kept.room = 0;
            while (Block* block = kept.first) {
                kept.first = block->next;
                ::operator delete(block);
            }
        }
    }
};

/// Where its class is, in a thread that may keep blocks; null where the heap has to do.
Kept* keptOf(size_t index) {
    if (!kKeeps || index >= kClasses)
        return nullptr;
    if (!tWatched)
        thread_local const Watch watch;
    return tKept[index].room > 0 ? &tKept[index] : nullptr;
}

} // namespace

void* takeOperationMemory(size_t bytes) {
    const size_t index = bytes == 0 ? 0 : (bytes - 1) / kStep;
    if (index >= kClasses)
        return ::operator new(bytes);
    Kept& kept = tKept[index];
    if (Block* block = kept.first) {
        kept.first = block->next;
        ++kept.room;
        return block;
    }
    return ::operator new((index + 1) * kStep);
}

void giveOperationMemory(void* memory, size_t bytes) noexcept {
    const size_t index = bytes == 0 ? 0 : (bytes - 1) / kStep;
    Kept* kept = index < kClasses && tKept[index].room > 0 ? &tKept[index] : keptOf(index);
    if (!kept) {
        ::operator delete(memory);
        return;
    }
    kept->first = ::new (memory) Block{kept->first};
    --kept->room;
}

} // namespace kp::detail
