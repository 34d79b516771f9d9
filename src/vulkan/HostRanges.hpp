// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "vulkan/Buffer.hpp"

namespace kp::vulkan {

/// The host memory that one device reaches directly: pinned arrays and imported memory, by
/// address. Only what users asked for, and only as long as they keep it: see HostImport.hpp for why
/// nothing is kept behind their back. Thread-safe.
class HostRanges {
public:
    /// What is at an address: a buffer from @p offset on, or nothing (null), for @p bytes.
    struct Part {
        std::shared_ptr<Buffer> buffer;
        uint64_t offset = 0;
        uint64_t bytes = 0;
    };

    /// The @p bytes at @p memory are those of @p buffer from @p offset on.
    /// @return a number for remove()
    uint64_t add(const void* memory, uint64_t bytes, std::shared_ptr<Buffer> buffer,
                 uint64_t offset);
    void remove(uint64_t number);

    /// The first part of a range: as much of it as one buffer holds, or as none does.
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
    uint64_t mLongest = 0; ///< bytes of the longest range there ever was
};

/// Host memory of the caller, imported for one device and registered with its transfer engine, in
/// pieces where it is larger than one allocation may be. Destruction waits for transfers that use
/// it.
class ImportedHostMemory {
public:
    /// Imports the pages that @p memory lies on, for transfers of @p memory alone. Where the device
    /// asks for more than pages, only the part that is aligned as it wants.
    /// @throws Unsupported where the device or driver does not take it, OutOfMemory
    ImportedHostMemory(std::shared_ptr<Device> device, void* memory, uint64_t bytes);
    ~ImportedHostMemory();
    ImportedHostMemory(const ImportedHostMemory&) = delete;
    ImportedHostMemory& operator=(const ImportedHostMemory&) = delete;

private:
    void release() noexcept;

    std::shared_ptr<Device> mDevice;
    std::vector<std::shared_ptr<Buffer>> mBuffers;
    std::vector<uint64_t> mNumbers;
};

} // namespace kp::vulkan
