// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "vulkan/transfer/CopyThreads.hpp"
#include "vulkan/transfer/HostRanges.hpp"
#include "vulkan/transfer/StagedTransfer.hpp"
#include "vulkan/transfer/StagingRing.hpp"
#include "vulkan/transfer/TransferRules.hpp"

namespace kp::vulkan {

class Buffer;
class Device;
class Image;
class Queue;

/// Copies between host memory and device memory, in the way that TransferRules choose:
///   - the host writes mapped device memory itself, and reads it if that is fast;
///   - the device copies pinned arrays and imported memory, without staging;
///   - everything else goes through staging buffers, in chunks, with several host threads.
/// A transfer runs after all work already submitted on the same memory. An upload returns when the
/// caller may reuse the host memory, a download when it holds the data. Thread-safe; transfers in
/// several threads run in parallel.
class Transfer final : private CopyThreads::User {
public:
    explicit Transfer(Device& device);
    ~Transfer() override;

    TransferRules rules() const;
    void setRules(const TransferRules& rules);
    /// Sets the device's default rules with changes as text, see changedRules().
    void changeRules(std::string_view changes);

    void upload(const std::shared_ptr<Buffer>& buffer, uint64_t offset, const void* data,
                uint64_t bytes);
    void download(const std::shared_ptr<Buffer>& buffer, uint64_t offset, void* data,
                  uint64_t bytes);
    /// Copies to the beginning of a buffer in host memory.
    void download(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                  const std::shared_ptr<Buffer>& hostBuffer, uint64_t bytes);

    /// Copy whole images; @p data holds rows without padding.
    void upload(const std::shared_ptr<Image>& image, const void* data);
    void download(const std::shared_ptr<Image>& image, void* data);

    /// Returns true if device memory of a buffer of this size should be mapped for writing.
    bool mapsDeviceMemory(uint64_t bytes) const {
        return bytes <= mMappedBytes.load(std::memory_order_relaxed);
    }
    /// Return true if a compute shader should copy (fill) this many bytes of device memory.
    bool copiesByKernel(uint64_t bytes) const {
        return bytes >= mCopyKernelBytes.load(std::memory_order_relaxed);
    }
    bool fillsByKernel(uint64_t bytes) const {
        return bytes >= mFillKernelBytes.load(std::memory_order_relaxed);
    }
    HostRanges& hostRanges() { return mHostRanges; }

    /// Frees all staging that the device has finished with. Idle staging is freed automatically
    /// after a while.
    void trim() { trim(std::chrono::milliseconds(0)); }
    /// Bytes of staging that exist now.
    uint64_t stagingBytes() const;

private:
    struct Direction {
        Direction(Device& device, Queue* queue) : small(device), large(device), copyQueue(queue) {}
        StagingRing small; ///< for transfers of one small chunk, which then wait for no large one
        StagingRing large;
        Queue* copyQueue; ///< null if the device has none
    };

    /// @param host  only read unless @p toHost
    void copyBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset, unsigned char* host,
                    uint64_t bytes, bool toHost);
    void copyImage(const std::shared_ptr<Image>& image, unsigned char* host, bool toHost);
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
