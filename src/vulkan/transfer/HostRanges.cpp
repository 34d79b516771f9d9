// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/HostRanges.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kMaxImportBytes = uint64_t{1} << 30;

void* pointerTo(uint64_t address) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
}

} // namespace

void HostRanges::add(const void* memory, uint64_t bytes, std::shared_ptr<Buffer> buffer,
                     uint64_t offset) {
    const std::lock_guard lock(mMutex);
    const auto address = reinterpret_cast<uintptr_t>(memory);
    mRanges.emplace(address,
                    Range{address + static_cast<uintptr_t>(bytes), std::move(buffer), offset});
    mLongest = std::max(mLongest, bytes);
    mCount.store(mRanges.size(), std::memory_order_release);
}

void HostRanges::remove(const Buffer& buffer) {
    const std::lock_guard lock(mMutex);
    std::erase_if(mRanges, [&](const auto& range) { return range.second.buffer.get() == &buffer; });
    mCount.store(mRanges.size(), std::memory_order_release);
}

HostRanges::Part HostRanges::find(const void* memory, uint64_t bytes) const {
    if (mCount.load(std::memory_order_acquire) == 0)
        return {nullptr, 0, bytes};
    const std::lock_guard lock(mMutex);
    const auto address = reinterpret_cast<uintptr_t>(memory);
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
    const uint64_t first = reinterpret_cast<uintptr_t>(memory);
    const uint64_t last = first + bytes;
    const bool outward = alignment <= Buffer::kPageBytes;
    const uint64_t begin = (outward ? first : first + alignment - 1) / alignment * alignment;
    const uint64_t end = (outward ? last + alignment - 1 : last) / alignment * alignment;
    if (end <= begin)
        fail<Unsupported>("the memory has no aligned block of {} bytes, the least that {} imports",
                          alignment, mDevice->name());
    uint64_t piece = kMaxImportBytes;
    for (const uint64_t limit : {physical.maxMemoryAllocationSize, physical.maxBufferSize})
        if (limit != 0)
            piece = std::min(piece, limit);
    piece = std::max(alignment, piece / alignment * alignment);
    try {
        for (uint64_t at = begin; at < end; at += piece) {
            const uint64_t count = std::min(piece, end - at);
            mBuffers.push_back(Buffer::importHost(*mDevice, pointerTo(at), count));
            // The rest of the first and last page is not the caller's.
            const uint64_t from = std::max(at, first);
            const uint64_t to = std::min(at + count, last);
            mDevice->transfer().hostRanges().add(pointerTo(from), to - from, mBuffers.back(),
                                                 from - at);
        }
    } catch (...) {
        release();
        throw;
    }
}

void ImportedHostMemory::release() noexcept {
    if (driverGone())
        return;
    for (const auto& buffer : mBuffers)
        mDevice->transfer().hostRanges().remove(*buffer);
    // The caller may free the memory after this.
    for (const auto& buffer : mBuffers)
        for (const TimelinePoint& use : buffer->usesBefore(true))
            DeletionQueue::waitDespiteErrors(use);
    mBuffers.clear();
}

} // namespace kp::vulkan
