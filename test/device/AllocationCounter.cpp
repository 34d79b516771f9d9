// SPDX-License-Identifier: Apache-2.0
#include "AllocationCounter.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "Sanitizers.hpp"

// Sanitizers replace the allocator themselves. On Windows, free() does not take aligned memory.
#if defined(KOMPUTE_TEST_SANITIZED) || defined(_WIN32)
#define KOMPUTE_TEST_KEEPS_ALLOCATOR
#endif

namespace kp::test {
namespace {

thread_local uint64_t tAllocations = 0;
thread_local int tPaused = 0;

} // namespace

uint64_t allocationsOfThisThread() {
    return tAllocations;
}

PauseAllocationCount::PauseAllocationCount() {
    ++tPaused;
}
PauseAllocationCount::~PauseAllocationCount() {
    --tPaused;
}

#ifdef KOMPUTE_TEST_KEEPS_ALLOCATOR

bool countsAllocations() {
    return false;
}

#else

bool countsAllocations() {
    return true;
}

namespace {

void* countedAllocation(size_t bytes, size_t alignment) {
    if (tPaused == 0)
        ++tAllocations;
    if (bytes == 0)
        bytes = 1;
    void* memory = alignment > alignof(std::max_align_t)
                       ? std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1))
                       : std::malloc(bytes);
    return memory;
}

} // namespace
} // namespace kp::test

void* operator new(size_t bytes) {
    if (void* memory = kp::test::countedAllocation(bytes, 1))
        return memory;
    throw std::bad_alloc();
}
void* operator new[](size_t bytes) {
    return operator new(bytes);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    return kp::test::countedAllocation(bytes, 1);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
    return kp::test::countedAllocation(bytes, 1);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    if (void* memory = kp::test::countedAllocation(bytes, static_cast<size_t>(alignment)))
        return memory;
    throw std::bad_alloc();
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
    return operator new(bytes, alignment);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace kp::test {

#endif

} // namespace kp::test
