// SPDX-License-Identifier: Apache-2.0
#include "vulkan/StagedTransfer.hpp"

#include <algorithm>

#include "vulkan/CopyThreads.hpp"
#include "vulkan/TransferCommands.hpp"

namespace kp::vulkan {

StagedTransfer::StagedTransfer(const Plan& plan, std::shared_ptr<Resource> resource,
                               const Record& record)
    : mPlan(plan), mRecord(record), mResource(std::move(resource)) {}

void StagedTransfer::upload(const unsigned char* source) {
    mSource = source;
    mAccesses.add(mResource, true);
    inThreads([this] { sendChunks(); });
}

void StagedTransfer::download(unsigned char* destination) {
    mDestination = destination;
    mAccesses.add(mResource, false);
    inThreads([this] { fetchChunks(); });
}

void StagedTransfer::inThreads(const std::function<void()>& work) {
    const uint64_t chunks = (mPlan.bytes + mPlan.leastChunkBytes - 1) / mPlan.leastChunkBytes;
    const auto helpers = static_cast<uint32_t>(std::min<uint64_t>(mPlan.threads, chunks) - 1);
    CopyThreads::instance().run(helpers, [&] {
        try {
            work();
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

uint64_t StagedTransfer::chunkBytesAt(uint64_t offset) const {
    const uint64_t left = mPlan.bytes - offset;
    const uint64_t share = std::min(offset, left) / (uint64_t{mPlan.threads} * 2);
    const uint64_t bytes = std::clamp(share / mPlan.granularity * mPlan.granularity,
                                      mPlan.leastChunkBytes, mPlan.chunkBytes);
    return std::min(bytes, left);
}

StagedTransfer::Chunk StagedTransfer::next() {
    Chunk chunk;
    if (mStopped.load(std::memory_order_relaxed))
        return chunk;
    chunk.offset = mNext.load(std::memory_order_relaxed);
    while (chunk.offset < mPlan.bytes) {
        const uint64_t bytes = chunkBytesAt(chunk.offset);
        if (mNext.compare_exchange_weak(chunk.offset, chunk.offset + bytes,
                                        std::memory_order_relaxed)) {
            chunk.bytes = bytes;
            return chunk;
        }
    }
    return chunk;
}

void StagedTransfer::submit(Chunk& chunk) {
    Queue& queue = *mPlan.queue;
    CommandBuffer& commands = chunk.staging.commands(queue.family());
    const VkCommandBuffer handle = commands.handle();
    const std::lock_guard lock(mMutex);
    commands.begin(true);
    // Staging may lie in memory that another transfer used and freed meanwhile. The host has waited
    // for that one, but validation layers do not see it.
    if (!mBegun || queue.device().instance()->validation().any())
        recordTransferBegin(queue, handle);
    mRecord(handle, chunk.staging.buffer(), chunk.offset, chunk.bytes);
    recordTransferEnd(queue, handle, mDestination != nullptr);
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
        copyMemory(chunk.staging.memory(), mSource + chunk.offset, chunk.bytes, mPlan.streaming);
        submit(chunk);
    }
}

StagedTransfer::Chunk StagedTransfer::fetch(bool wait) {
    const uint64_t least = std::min(mPlan.chunkBytes, mPlan.bytes);
    Chunk none;
    if (mStopped.load(std::memory_order_relaxed) ||
        mNext.load(std::memory_order_relaxed) >= mPlan.bytes)
        return none;
    StagingRing::Lease staging =
        wait ? mPlan.ring->acquire(least, mPlan.stagingBytes, mPlan.limits)
             : mPlan.ring->tryAcquire(least, mPlan.stagingBytes, mPlan.limits);
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
        // Waiting for a staging buffer while holding one could last for ever, so the one ahead is
        // taken only where it is free.
        Chunk current = fetch(true);
        if (current.bytes == 0)
            return;
        while (current.bytes != 0) {
            Chunk ahead = fetch(false);
            const TimelinePoint& done = current.staging.done();
            done.queue->wait(done.value, UINT64_MAX, mode);
            copyMemory(mDestination + current.offset, current.staging.memory(), current.bytes,
                       mPlan.streaming);
            current = std::move(ahead);
        }
    }
}

} // namespace kp::vulkan
