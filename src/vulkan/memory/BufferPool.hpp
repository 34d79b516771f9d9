// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "vulkan/memory/Allocator.hpp"

namespace kp::vulkan {

class Device;

/// Buffers that were freed, kept with their memory for the next ones of the same size: a program
/// that makes and frees many tensors again and again makes few buffers, and operations need not
/// wait for memory for their intermediate results. Under validation nothing is kept, so that the
/// layers see each use of a destroyed buffer. Thread-safe. Owned by its Device.
class BufferPool {
public:
    struct Limits {
        uint64_t bytesEach;
        uint64_t bytes;
        size_t buffers;
    };
    static constexpr Limits kSmallTensors{uint64_t{64} << 10, uint64_t{64} << 20, 16384};
    /// Large buffers take a driver milliseconds to allocate, so they are worth keeping.
    /// @param heapBytes  of the device memory
    static constexpr Limits scratch(uint64_t heapBytes) { return {heapBytes, heapBytes / 8, 1024}; }
    /// Returns @p bytes, rounded up by at most a quarter, so that few sizes of scratch memory
    /// occur.
    static constexpr uint64_t scratchBytes(uint64_t bytes) {
        constexpr uint64_t kMin = 4096;
        if (bytes <= kMin)
            return kMin;
        const uint64_t step = std::bit_floor(bytes - 1) / 4;
        return (bytes + step - 1) / step * step;
    }

    struct Kind {
        MemoryPlace place = MemoryPlace::eDevice;
        uint64_t bytes = 0;
        auto operator<=>(const Kind&) const = default;
    };
    struct Idle {
        VkBuffer handle = VK_NULL_HANDLE;
        Allocation allocation;
    };

    BufferPool(Device& device, const Limits& limits);
    ~BufferPool() { clear(); }
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    /// Returns true if buffers of this kind may be kept.
    bool keeps(const Kind& kind) const {
        return mEnabled && kind.bytes <= mLimits.bytesEach && kind.place != MemoryPlace::eStaging;
    }
    /// Takes an idle buffer, if there is one.
    std::optional<Idle> take(const Kind& kind);
    /// Keeps a buffer that the device has finished with, and whose kind keeps() allows, or destroys
    /// it. If the pool is full, the buffers of other kinds make room.
    void give(const Kind& kind, const Idle& buffer) noexcept;
    /// Destroys all buffers. @return false if there were none
    bool clear();

    size_t count() const;
    uint64_t bytes() const;
    /// Returns bytes(), less those in host memory.
    uint64_t deviceBytes() const;

private:
    using Lists = std::map<Kind, std::vector<Idle>>;

    /// Adds a buffer if there is room, or if others can make room: these are moved to @p removed.
    bool add(const Kind& kind, const Idle& buffer, Lists& removed);
    void destroy(const Idle& buffer) const;
    void destroy(const Lists& lists) const;

    Device& mDevice;
    const Limits mLimits;
    const bool mEnabled;
    mutable std::mutex mMutex; ///< guards the members below
    Lists mLists;
    size_t mCount = 0;
    uint64_t mBytes = 0;
};

} // namespace kp::vulkan
