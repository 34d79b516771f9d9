// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "vulkan/Buffer.hpp"
#include "vulkan/CopyThreads.hpp"
#include "vulkan/HostRanges.hpp"
#include "vulkan/Image.hpp"
#include "vulkan/StagedTransfer.hpp"
#include "vulkan/StagingRing.hpp"
#include "vulkan/TransferRules.hpp"

namespace kp::vulkan {

class DirectTransfer;
class Queue;

/// Moves bytes between host memory and device memory. The way is chosen by TransferRules:
///
///   - mapped device memory is written (and, where that is fast, read) by the host itself;
///   - pinned arrays and imported memory are copied by the device, without staging;
///   - everything else goes through staging, in chunks, with several host threads.
///
/// A transfer comes after all work already submitted on the same memory. An upload returns when the
/// host's memory may be used again, a download when it holds the data. Thread-safe; transfers in
/// several threads run at the same time.
class Transfer final : private CopyThreads::User {
public:
    explicit Transfer(Device& device);
    ~Transfer() override;
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    TransferRules rules() const;
    /// For transfers that start, and buffers that are made, from now on.
    void setRules(const TransferRules& rules);
    /// The device's own rules with changes as text, see changedRules().
    void changeRules(std::string_view changes);

    /// Copies @p bytes from @p data to @p offset of @p buffer.
    void upload(const std::shared_ptr<Buffer>& buffer, uint64_t offset, const void* data,
                uint64_t bytes);
    /// Copies @p bytes at @p offset of @p buffer to @p data.
    void download(const std::shared_ptr<Buffer>& buffer, uint64_t offset, void* data,
                  uint64_t bytes);
    /// The same to the beginning of a buffer in host memory.
    void download(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                  const std::shared_ptr<Buffer>& hostBuffer, uint64_t bytes);

    /// Whole images; @p data holds rows without padding.
    void upload(const std::shared_ptr<Image>& image, const void* data);
    void download(const std::shared_ptr<Image>& image, void* data);

    /// True where the device memory of a buffer of this size shall be mapped for writing.
    bool mapsDeviceMemory(uint64_t bytes) const {
        return bytes <= mMappedBytes.load(std::memory_order_relaxed);
    }
    /// True where a compute shader shall copy (fill) this many bytes of device memory.
    bool copiesByKernel(uint64_t bytes) const {
        return bytes >= mCopyKernelBytes.load(std::memory_order_relaxed);
    }
    bool fillsByKernel(uint64_t bytes) const {
        return bytes >= mFillKernelBytes.load(std::memory_order_relaxed);
    }
    HostRanges& hostRanges() { return mHostRanges; }

    /// Frees all staging that the device is done with. Otherwise staging is freed by itself when it
    /// was not used for a while.
    void trim();
    /// Bytes of staging there are now.
    uint64_t stagingBytes() const;

private:
    struct Direction {
        Direction(Device& device, Queue* queue) : small(device), large(device), copyQueue(queue) {}
        StagingRing small; ///< for transfers of one small chunk, so that they wait for no large one
        StagingRing large;
        Queue* copyQueue; ///< null where there is none
    };

    bool freeIdle() noexcept override;
    uint64_t trim(std::chrono::milliseconds unused);
    Queue& queueFor(const Direction& direction, uint64_t bytes, bool mayUseCopyQueue,
                    const TransferRules& rules) const;
    std::vector<Queue*> directQueues(const Direction& direction, const Buffer& buffer,
                                     uint64_t bytes, const TransferRules& rules) const;
    StagedTransfer::Plan plan(Direction& direction, uint64_t bytes, uint64_t granularity,
                              bool mayUseCopyQueue, const TransferRules& rules) const;

    Device& mDevice;
    mutable std::mutex mMutex; ///< guards the rules
    TransferRules mRules;
    std::atomic<uint64_t> mMappedBytes{0};
    std::atomic<uint64_t> mCopyKernelBytes{UINT64_MAX};
    std::atomic<uint64_t> mFillKernelBytes{UINT64_MAX};
    HostRanges mHostRanges;
    Direction mUp;
    Direction mDown;
};

} // namespace kp::vulkan
