// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace kp::vulkan {

class Buffer;

/// The host memory that one device accesses directly, by address: pinned arrays and imported
/// memory. Only the user adds and removes ranges (HostImport.hpp says why). Thread-safe.
class HostRanges {
public:
    /// A piece of host memory: part of a buffer, or of none (null).
    struct Part {
        std::shared_ptr<Buffer> buffer;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    /// Adds @p bytes at @p memory, which are those of @p buffer from @p offset on.
    /// @return the number for remove()
    uint64_t add(const void* memory, uint64_t bytes, std::shared_ptr<Buffer> buffer,
                 uint64_t offset);
    void remove(uint64_t number);

    /// Returns the longest first part of a range that lies in one buffer, or in none.
    Part find(const void* memory, uint64_t bytes) const;

private:
    struct Range {
        uintptr_t end = 0;
        std::shared_ptr<Buffer> buffer;
        uint64_t offset = 0; ///< in the buffer
        uint64_t number = 0;
    };

    std::atomic<size_t> mCount{0};
    mutable std::mutex mMutex;
    std::multimap<uintptr_t, Range> mRanges; ///< by first address
    uint64_t mLastNumber = 0;
    uint64_t mLongest = 0; ///< bytes of the longest range ever added
};

} // namespace kp::vulkan
