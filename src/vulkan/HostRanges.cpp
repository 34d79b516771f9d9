// SPDX-License-Identifier: Apache-2.0
#include "vulkan/HostRanges.hpp"

#include <algorithm>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/HostPages.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Transfer.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kLargestPiece = uint64_t{1} << 30;

uintptr_t addressOf(const void* memory) {
    return reinterpret_cast<uintptr_t>(memory);
}

void* pointerTo(uint64_t address) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
}

} // namespace

uint64_t HostRanges::add(const void* memory, uint64_t bytes, std::shared_ptr<Buffer> buffer,
                         uint64_t offset) {
    const std::lock_guard lock(mMutex);
    const uint64_t number = ++mLastNumber;
    mRanges.emplace(addressOf(memory), Range{addressOf(memory) + static_cast<uintptr_t>(bytes),
                                             std::move(buffer), offset, number});
    mLongest = std::max(mLongest, bytes);
    mCount.store(mRanges.size(), std::memory_order_release);
    return number;
}

void HostRanges::remove(uint64_t number) {
    std::shared_ptr<Buffer> last; // freed outside the lock
    const std::lock_guard lock(mMutex);
    const auto found = std::find_if(mRanges.begin(), mRanges.end(), [&](const auto& range) {
        return range.second.number == number;
    });
    if (found == mRanges.end())
        return;
    last = std::move(found->second.buffer);
    mRanges.erase(found);
    mCount.store(mRanges.size(), std::memory_order_release);
}

HostRanges::Part HostRanges::find(const void* memory, uint64_t bytes) const {
    if (mCount.load(std::memory_order_acquire) == 0)
        return {nullptr, 0, bytes};
    const std::lock_guard lock(mMutex);
    const uintptr_t address = addressOf(memory);
    const auto after = mRanges.upper_bound(address);
    for (auto range = after; range != mRanges.begin();) {
        --range;
        if (address - range->first >= mLongest)
            break;
        if (range->second.end > address)
            return {range->second.buffer, range->second.offset + (address - range->first),
                    std::min<uint64_t>(bytes, range->second.end - address)};
    }
    const uint64_t free = after == mRanges.end() ? bytes : uint64_t{after->first - address};
    return {nullptr, 0, std::min(bytes, free)};
}

ImportedHostMemory::ImportedHostMemory(std::shared_ptr<Device> device, void* memory, uint64_t bytes)
    : mDevice(std::move(device)) {
    const PhysicalDevice& physical = mDevice->physical();
    const uint64_t alignment = std::max<uint64_t>(1, physical.importedHostPointerAlignment);
    const uint64_t first = addressOf(memory);
    const uint64_t last = first + bytes;
    const bool outward = alignment <= kPageBytes;
    const uint64_t begin = (outward ? first : first + alignment - 1) / alignment * alignment;
    const uint64_t end = (outward ? last + alignment - 1 : last) / alignment * alignment;
    if (end <= begin)
        throw Unsupported("the memory is smaller than the " + std::to_string(alignment) +
                          " bytes that " + mDevice->name() + " imports at least");
    uint64_t piece = kLargestPiece;
    for (const uint64_t limit : {physical.maxMemoryAllocationSize, physical.maxBufferSize})
        if (limit != 0)
            piece = std::min(piece, limit);
    piece = std::max(alignment, piece / alignment * alignment);
    try {
        HostRanges& ranges = mDevice->transfer().hostRanges();
        mBuffers.reserve((end - begin + piece - 1) / piece);
        mNumbers.reserve(mBuffers.capacity());
        for (uint64_t at = begin; at < end; at += piece) {
            const uint64_t count = std::min(piece, end - at);
            mBuffers.push_back(Buffer::importHost(*mDevice, pointerTo(at), count));
            // The rest of the first and of the last page is not the caller's.
            const uint64_t from = std::max(at, first);
            const uint64_t to = std::min(at + count, last);
            mNumbers.push_back(ranges.add(pointerTo(from), to - from, mBuffers.back(), from - at));
        }
    } catch (...) {
        release();
        throw;
    }
}

ImportedHostMemory::~ImportedHostMemory() {
    release();
}

void ImportedHostMemory::release() noexcept {
    for (const uint64_t number : mNumbers)
        mDevice->transfer().hostRanges().remove(number);
    mNumbers.clear();
    // What the caller does next is to free the memory.
    for (const auto& buffer : mBuffers)
        for (const TimelinePoint& use : buffer->usesBefore(true))
            Retirement::waitDespiteErrors(use);
    mBuffers.clear();
}

} // namespace kp::vulkan
