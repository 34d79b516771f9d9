// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/BufferPool.hpp"

#include <utility>

#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"

namespace kp::vulkan {

BufferPool::BufferPool(Device& device, const Limits& limits)
    : mDevice(device), mLimits(limits), mEnabled(!device.instance()->validation().any()) {}

std::optional<BufferPool::Idle> BufferPool::take(const Kind& kind) {
    const std::lock_guard lock(mMutex);
    const auto found = mLists.find(kind);
    if (found == mLists.end() || found->second.empty())
        return std::nullopt;
    const Idle buffer = found->second.back();
    found->second.pop_back();
    --mCount;
    mBytes -= kind.bytes;
    return buffer;
}

void BufferPool::give(const Kind& kind, const Idle& buffer) noexcept {
    Lists removed;
    bool kept = false;
    try {
        kept = add(kind, buffer, removed);
    } catch (...) { // out of memory
    }
    if (!kept)
        destroy(buffer);
    destroy(removed);
}

bool BufferPool::add(const Kind& kind, const Idle& buffer, Lists& removed) {
    const std::lock_guard lock(mMutex);
    const auto place = mLists.try_emplace(kind).first;
    std::vector<Idle>& list = place->second;
    const bool full = mCount + 1 > mLimits.buffers || mBytes + kind.bytes > mLimits.bytes;
    if (full && list.size() == mCount)
        return false;
    list.push_back(buffer);
    if (full) {
        Lists::node_type kept = mLists.extract(place);
        removed.swap(mLists);
        mLists.insert(std::move(kept));
        mCount = list.size();
        mBytes = mCount * kind.bytes;
    } else {
        ++mCount;
        mBytes += kind.bytes;
    }
    return true;
}

void BufferPool::destroy(const Idle& buffer) const {
    mDevice.vk().vkDestroyBuffer(mDevice.handle(), buffer.handle, nullptr);
    mDevice.allocator().free(buffer.allocation);
}

void BufferPool::destroy(const Lists& lists) const {
    for (const auto& [kind, buffers] : lists)
        for (const Idle& buffer : buffers)
            destroy(buffer);
}

bool BufferPool::clear() {
    Lists removed;
    {
        const std::lock_guard lock(mMutex);
        removed.swap(mLists);
        if (std::exchange(mCount, 0) == 0)
            return false;
        mBytes = 0;
    }
    destroy(removed);
    return true;
}

size_t BufferPool::count() const {
    const std::lock_guard lock(mMutex);
    return mCount;
}

uint64_t BufferPool::bytes() const {
    const std::lock_guard lock(mMutex);
    return mBytes;
}

uint64_t BufferPool::deviceBytes() const {
    const std::lock_guard lock(mMutex);
    uint64_t bytes = 0;
    for (const auto& [kind, buffers] : mLists)
        if (kind.place != MemoryPlace::eHost)
            bytes += kind.bytes * buffers.size();
    return bytes;
}

} // namespace kp::vulkan
