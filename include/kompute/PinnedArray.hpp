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

/// The memory of a PinnedArray: host memory, cached for the host, that the device reaches directly.
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

/// An array of fixed length in host memory that the device reaches directly: `upload` and
/// `download` of any range in it are one copy by the device, without staging and without host
/// threads. The host reads and writes it as any other memory.
///
///     auto values = manager.pinnedArray<float>(1 << 20);
///     std::fill(values->begin(), values->end(), 1.0f);
///     tensor->upload(values->data(), values->bytes());
///
/// Elements start with undefined values. Made by Manager::pinnedArray; belongs to its owner alone
/// and lives on when the manager is gone. It takes memory that cannot be swapped out: use it for
/// what is transferred again and again.
template <typename T>
class PinnedArray final : public PinnedMemory {
    static_assert(std::is_trivially_copyable<T>::value, "the device copies elements as bytes");

public:
    /// What a Manager calls.
    PinnedArray(std::shared_ptr<vulkan::Device> device, size_t count)
        : PinnedMemory(std::move(device), bytesOf(count)), mCount(count) {}

    T* data() const { return static_cast<T*>(memory()); }
    size_t size() const { return mCount; }
    T& operator[](size_t index) const { return data()[index]; }
    T* begin() const { return data(); }
    T* end() const { return data() + mCount; }

private:
    /// Too many elements become more bytes than any device has, which is refused with a message.
    static uint64_t bytesOf(size_t count) {
        return count > std::numeric_limits<uint64_t>::max() / sizeof(T)
                   ? std::numeric_limits<uint64_t>::max()
                   : uint64_t{count} * sizeof(T);
    }

    size_t mCount;
};

} // namespace kp
