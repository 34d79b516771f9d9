// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/ImportedHostMemory.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/ExternalBuffer.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kMaxImportBytes = uint64_t{1} << 30;

void* pointerTo(uint64_t address) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
}

} // namespace

ImportedHostMemory::ImportedHostMemory(std::shared_ptr<Device> device, void* memory, uint64_t bytes)
    : mDevice(std::move(device)) {
    const PhysicalDevice& physical = mDevice->physical();
    const uint64_t alignment = std::max<uint64_t>(1, physical.importedHostPointerAlignment);
    const uint64_t first = reinterpret_cast<uintptr_t>(memory);
    const uint64_t last = first + bytes;
    const bool outward = alignment <= ExternalBuffer::kPageBytes;
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
        HostRanges& ranges = mDevice->transfer().hostRanges();
        mBuffers.reserve((end - begin + piece - 1) / piece);
        mNumbers.reserve(mBuffers.capacity());
        for (uint64_t at = begin; at < end; at += piece) {
            const uint64_t count = std::min(piece, end - at);
            mBuffers.push_back(ExternalBuffer::importHost(*mDevice, pointerTo(at), count));
            // The rest of the first and last page is not the caller's.
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
    // The caller may free the memory after this.
    for (const auto& buffer : mBuffers)
        for (const TimelinePoint& use : buffer->usesBefore(true))
            DeletionQueue::waitDespiteErrors(use);
    mBuffers.clear();
}

} // namespace kp::vulkan
