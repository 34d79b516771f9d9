// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/StagedTransfer.hpp"

#include <algorithm>

#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/transfer/CopyThreads.hpp"

namespace kp::vulkan {

void StagedTransfer::run(const std::shared_ptr<Resource>& resource, unsigned char* host,
                         bool toHost) {
    mHost = host;
    mToHost = toHost;
    mAccesses.add(resource, !toHost);
    const uint64_t chunks = (mPlan.bytes + mPlan.chunkBytes - 1) / mPlan.chunkBytes;
    const auto helpers = static_cast<uint32_t>(std::min<uint64_t>(mPlan.threads, chunks) - 1);
    CopyThreads::instance().run(helpers, [&] {
        try {
            if (toHost)
                fetchChunks();
            else
                sendChunks();
        } catch (...) {
            mStopped.store(true, std::memory_order_relaxed);
            const std::lock_guard lock(mMutex);
            if (!mError)
                mError = std::current_exception();
        }
    });
    if (mError)
        std::rethrow_exception(mError);
}

StagedTransfer::Chunk StagedTransfer::next() {
    Chunk chunk;
    if (mStopped.load(std::memory_order_relaxed))
        return chunk;
    chunk.offset = mNext.fetch_add(mPlan.chunkBytes, std::memory_order_relaxed);
    if (chunk.offset < mPlan.bytes)
        chunk.bytes = std::min(mPlan.chunkBytes, mPlan.bytes - chunk.offset);
    return chunk;
}

void StagedTransfer::submit(Chunk& chunk) {
    Queue& queue = *mPlan.queue;
    CommandBuffer& commands = chunk.staging.commands(queue.family());
    const VkCommandBuffer handle = commands.handle();
    const std::lock_guard lock(mMutex);
    commands.begin(true);
    // Staging may reuse memory that another transfer has freed. The host waited for that transfer,
    // but validation layers do not see it.
    if (!mBegun || queue.device().instance()->validation().any())
        recordTransferBegin(queue, handle);
    mRecord(handle, chunk.staging.buffer(), chunk.offset, chunk.bytes);
    recordTransferEnd(queue, handle, mToHost);
    commands.end();
    chunk.staging.setDone(submitOrdered(queue, {&handle, 1}, mAccesses));
    mBegun = true;
}

void StagedTransfer::sendChunks() {
    for (;;) {
        Chunk chunk = next();
        if (chunk.bytes == 0)
            return;
        chunk.staging = mPlan.ring->acquire(chunk.bytes, mPlan.stagingBytes, mPlan.limits);
        copyMemory(chunk.staging.memory(), mHost + chunk.offset, chunk.bytes, mPlan.streaming);
        submit(chunk);
    }
}

StagedTransfer::Chunk StagedTransfer::fetch(bool wait) {
    const uint64_t minBytes = std::min(mPlan.chunkBytes, mPlan.bytes);
    Chunk none;
    if (mStopped.load(std::memory_order_relaxed) ||
        mNext.load(std::memory_order_relaxed) >= mPlan.bytes)
        return none;
    StagingRing::Lease staging =
        mPlan.ring->acquire(minBytes, mPlan.stagingBytes, mPlan.limits, wait);
    if (!staging)
        return none;
    Chunk chunk = next();
    if (chunk.bytes == 0)
        return none;
    chunk.staging = std::move(staging);
    submit(chunk);
    return chunk;
}

void StagedTransfer::fetchChunks() {
    const WaitMode mode = mPlan.queue->device().defaultWaitMode();
    for (;;) {
        // Waiting for a staging buffer while holding one may deadlock, so the one ahead is taken
        // only if it is free.
        Chunk current = fetch(true);
        if (current.bytes == 0)
            return;
        while (current.bytes != 0) {
            Chunk ahead = fetch(false);
            const TimelinePoint& done = current.staging.done();
            done.queue->wait(done.value, UINT64_MAX, mode);
            copyMemory(mHost + current.offset, current.staging.memory(), current.bytes,
                       mPlan.streaming);
            current = std::move(ahead);
        }
    }
}

} // namespace kp::vulkan
