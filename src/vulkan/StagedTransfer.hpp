// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "vulkan/StagingRing.hpp"
#include "vulkan/Submission.hpp"

namespace kp::vulkan {

/// One transfer between ordinary host memory and device memory through staging. Threads take
/// chunks one after the other, each on its own: a chunk that goes up is copied to staging and
/// submitted; of chunks that come down each thread has the next one under way while it copies one
/// out. So the device is busy with some chunks while the host is with others, and no thread waits
/// for another.
class StagedTransfer {
public:
    /// Records the copy of one chunk between a staging buffer (offset 0) and the resource.
    using Record =
        std::function<void(VkCommandBuffer, VkBuffer staging, uint64_t offset, uint64_t bytes)>;

    struct Plan {
        Queue* queue = nullptr;
        StagingRing* ring = nullptr;
        StagingRing::Limits limits;
        uint64_t stagingBytes = 0;    ///< of a staging buffer
        uint64_t granularity = 1;     ///< chunks are whole multiples of it, but for the last
        uint64_t leastChunkBytes = 0; ///< of the first and the last chunks
        uint64_t chunkBytes = 0; ///< of the largest; at most stagingBytes, unless a row is larger
        uint64_t bytes = 0;      ///< in all
        uint32_t threads = 1;
        bool streaming = false;
    };

    /// @p plan and @p record must outlive it.
    StagedTransfer(const Plan& plan, std::shared_ptr<Resource> resource, const Record& record);

    /// Returns when @p source may be used again; the device may still be copying.
    void upload(const unsigned char* source);
    /// Returns when everything is in @p destination.
    void download(unsigned char* destination);

private:
    struct Chunk {
        StagingRing::Lease staging;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    void inThreads(const std::function<void()>& work);
    /// Small at both ends: while the first chunk is copied by the host, or the last, the device has
    /// nothing to do. Guided self-scheduling (Polychronopoulos and Kuck, 1987), from both sides.
    uint64_t chunkBytesAt(uint64_t offset) const;
    /// The next chunk that nobody has taken; bytes is 0 where there is none.
    Chunk next();
    void submit(Chunk& chunk);
    void sendChunks();
    void fetchChunks();
    Chunk fetch(bool wait);

    const Plan& mPlan;
    const Record& mRecord;
    std::shared_ptr<Resource> mResource;
    AccessList mAccesses;
    const unsigned char* mSource = nullptr;
    unsigned char* mDestination = nullptr;
    std::atomic<uint64_t> mNext{0};
    std::atomic<bool> mStopped{false};
    std::mutex mMutex; ///< guards what follows, and keeps submissions in order
    bool mBegun = false;
    std::exception_ptr mError;
};

} // namespace kp::vulkan
