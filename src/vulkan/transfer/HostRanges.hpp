// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kp::vulkan {

class Buffer;
class Device;

/// The host memory that one device accesses directly, by address: pinned arrays and imported
/// memory. Only the user adds and removes ranges (memory/HostImport.hpp says why). Thread-safe.
class HostRanges {
public:
    /// A piece of host memory: part of a buffer, or of none (null).
    struct Part {
        std::shared_ptr<Buffer> buffer;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    /// Adds @p bytes at @p memory, which belong to @p buffer from @p offset on.
    void add(const void* memory, uint64_t bytes, std::shared_ptr<Buffer> buffer, uint64_t offset);
    /// Removes the ranges of a buffer, to which the caller holds a reference.
    void remove(const Buffer& buffer);

    /// Returns the longest first part of a range that lies in one buffer, or in none.
    Part find(const void* memory, uint64_t bytes) const;

private:
    struct Range {
        uintptr_t end = 0;
        std::shared_ptr<Buffer> buffer;
        uint64_t offset = 0; ///< in the buffer
    };

    std::atomic<size_t> mCount{0};
    mutable std::mutex mMutex;
    std::multimap<uintptr_t, Range> mRanges; ///< by first address
    uint64_t mLongest = 0;                   ///< bytes of the longest range ever added
};

/// Host memory of the caller, imported for one device and added to its HostRanges, in pieces if it
/// is larger than one allocation may be. Destruction waits for the transfers that use it.
class ImportedHostMemory {
public:
    /// Imports the pages around @p memory, for transfers of @p memory alone. If the device needs a
    /// larger alignment than a page, imports the aligned part of @p memory.
    /// @throws Unsupported if the device or driver does not import it, OutOfMemory
    ImportedHostMemory(std::shared_ptr<Device> device, void* memory, uint64_t bytes);
    ~ImportedHostMemory() { release(); }
    ImportedHostMemory(const ImportedHostMemory&) = delete;
    ImportedHostMemory& operator=(const ImportedHostMemory&) = delete;

private:
    void release() noexcept;

    std::shared_ptr<Device> mDevice;
    std::vector<std::shared_ptr<Buffer>> mBuffers;
};

} // namespace kp::vulkan
