// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/queue/Submission.hpp"
#include "vulkan/transfer/StagingRing.hpp"

namespace kp::vulkan {

/// One transfer between ordinary host memory and device memory, through staging buffers. Each
/// thread takes the next chunk: an upload copies it to staging and submits it; a download has the
/// device fetch one chunk while the thread copies another to the destination. So host and device
/// copy at the same time, and no thread waits for another.
class StagedTransfer {
public:
    /// Records the copy of one chunk between a staging buffer (offset 0) and the resource.
    using Record =
        std::function<void(VkCommandBuffer, VkBuffer staging, uint64_t offset, uint64_t bytes)>;

    struct Plan {
        Queue* queue = nullptr;
        StagingRing* ring = nullptr;
        StagingRing::Limits limits;
        uint64_t stagingBytes = 0; ///< of a staging buffer
        uint64_t chunkBytes = 0;   ///< at most stagingBytes, unless one granule is larger
        uint64_t bytes = 0;        ///< of the transfer
        uint32_t threads = 1;
        bool streaming = false;
    };

    /// @p plan and @p record must outlive it.
    StagedTransfer(const Plan& plan, const Record& record) : mPlan(plan), mRecord(record) {}

    /// Returns when the caller may reuse the host memory, which is only read; the device may still
    /// be copying. With @p toHost, returns when the host memory holds the data.
    void run(const std::shared_ptr<Resource>& resource, unsigned char* host, bool toHost);

private:
    struct Chunk {
        StagingRing::Lease staging;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    /// Takes the next chunk; its bytes are 0 if none is left.
    Chunk next();
    void submit(Chunk& chunk);
    void sendChunks();
    void fetchChunks();
    Chunk fetch(bool wait);

    const Plan& mPlan;
    const Record& mRecord;
    AccessList mAccesses;
    unsigned char* mHost = nullptr;
    bool mToHost = false;
    std::atomic<uint64_t> mNext{0};
    std::atomic<bool> mStopped{false};
    std::mutex mMutex; ///< guards the members below, and keeps submissions in order
    bool mBegun = false;
    std::exception_ptr mError;
};

} // namespace kp::vulkan
