// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/SharedScratch.hpp"

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/BufferPool.hpp"

namespace kp::vulkan {

std::shared_ptr<Buffer> SharedScratch::Loan::take(uint64_t bytes) {
    std::shared_ptr<Buffer> buffer = mOwner.take({&mQueue, BufferPool::scratchBytes(bytes)});
    if (!buffer)
        buffer = Buffer::createScratch(mOwner.mDevice, bytes);
    mBuffers.push_back(buffer);
    return buffer;
}

std::shared_ptr<Buffer> SharedScratch::take(const Shelf& shelf) {
    const std::lock_guard lock(mMutex);
    const auto found = mShelves.find(shelf);
    if (found == mShelves.end() || found->second.empty())
        return nullptr;
    std::shared_ptr<Buffer> buffer = std::move(found->second.back());
    found->second.pop_back();
    mBytes -= shelf.second;
    return buffer;
}

void SharedScratch::give(const Queue& queue,
                         std::vector<std::shared_ptr<Buffer>> buffers) noexcept {
    // Those that do not stay are destroyed without the lock.
    decltype(mShelves) removed;
    const std::lock_guard lock(mMutex);
    for (std::shared_ptr<Buffer>& buffer : buffers) {
        const uint64_t bytes = buffer->size();
        const uint64_t limit =
            BufferPool::scratch(mDevice.allocator().heapSize(MemoryPlace::eDevice)).bytes;
        if (bytes > limit)
            continue;
        if (mBytes + bytes > limit) { // of other sizes, probably
            removed.merge(mShelves);
            mShelves.clear();
            mBytes = 0;
        }
        try {
            mShelves[{&queue, bytes}].push_back(std::move(buffer));
            mBytes += bytes;
        } catch (...) { // out of memory: it is not kept
        }
    }
}

bool SharedScratch::clear() {
    decltype(mShelves) removed;
    const std::lock_guard lock(mMutex);
    removed.swap(mShelves);
    return std::exchange(mBytes, 0) != 0;
}

uint64_t SharedScratch::bytes() const {
    const std::lock_guard lock(mMutex);
    return mBytes;
}

} // namespace kp::vulkan
