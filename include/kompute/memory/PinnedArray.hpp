// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include <kompute/Export.hpp>

namespace kp {

namespace vulkan {
class Device;
}

/// The untyped memory of a PinnedArray: host memory, cached for the host, that the device accesses
/// directly.
class KOMPUTE_API PinnedMemory {
public:
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    uint64_t bytes() const;

protected:
    PinnedMemory(std::shared_ptr<vulkan::Device> device, uint64_t bytes);
    ~PinnedMemory();
    void* memory() const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

/// An array of fixed length in host memory that the device accesses directly. `upload` and
/// `download` of any range in it are a single copy by the device, without staging or host threads.
/// The host reads and writes it like other memory.
///
///     auto values = manager.pinnedArray<float>(1 << 20);
///     std::fill(values->begin(), values->end(), 1.0f);
///     tensor->upload(values->data(), values->bytes());
///
/// The initial contents are undefined. Manager::pinnedArray creates pinned arrays; the caller owns
/// them, and they outlive the manager. Pinned memory cannot be swapped out, so reserve it for data
/// that is transferred repeatedly.
template <typename T>
class PinnedArray final : public PinnedMemory {
    static_assert(std::is_trivially_copyable<T>::value, "the device copies elements as bytes");

public:
    /// Returns the elements, valid as long as the array.
    T* data() const { return static_cast<T*>(memory()); }
    size_t size() const { return mCount; }
    T& operator[](size_t index) const { return data()[index]; }
    T* begin() const { return data(); }
    T* end() const { return data() + mCount; }

private:
    /// Returns the size in bytes, or on overflow a size that the allocation rejects with a message.
    static uint64_t bytesOf(size_t count) {
        return count > (std::numeric_limits<uint64_t>::max)() / sizeof(T)
                   ? (std::numeric_limits<uint64_t>::max)()
                   : uint64_t{count} * sizeof(T);
    }

    friend class Manager;
    PinnedArray(std::shared_ptr<vulkan::Device> device, size_t count)
        : PinnedMemory(std::move(device), bytesOf(count)), mCount(count) {}

    size_t mCount;
};

} // namespace kp
