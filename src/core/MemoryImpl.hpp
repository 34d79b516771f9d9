// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kompute/Memory.hpp>

#include "vulkan/Buffer.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/Image.hpp"

namespace kp {

/// The state behind a Tensor or an Image.
struct Memory::Impl {
    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    MemoryTypes memoryType = MemoryTypes::eDevice;
    DataTypes dataType = DataTypes::eFloat;
    uint64_t count = 0; ///< elements
    uint32_t elementSize = 0;
    uint64_t x = 0;
    uint64_t y = 0;
    uint32_t channels = 1;

    std::shared_ptr<vulkan::Buffer> buffer; ///< device memory of a tensor
    std::shared_ptr<vulkan::Image> image;   ///< device memory of an image

    /// The host view is a mirror that sync operations copy.
    bool mirrored = false;
    std::shared_ptr<vulkan::Buffer> mirror; ///< made on first use
    bool mirrorStale = false; ///< the device memory changed behind it; refreshed when looked at

    /// The host view of a mapped image whose rows are padded: what the host changed is copied to
    /// the image before each submission that uses it, and the image is copied back after it. Empty
    /// until first used.
    bool padded = false;
    std::vector<unsigned char> rows;
    std::vector<unsigned char> rowsInImage; ///< rows as they were last copied, to tell changes by

    bool keepsView = false; ///< release() leaves the host view's memory in place
    std::vector<std::shared_ptr<void>> keptViews;

    /// Backing store of constructDescriptorSet()'s pointers.
    alignas(8) unsigned char descriptorInfo[32] = {};

    uint64_t bytes() const { return count * elementSize; }
    const char* noun() const { return image ? "image" : "tensor"; }

    /// @throws InvalidArgument after destroy()
    void requireAlive() const;
    std::shared_ptr<vulkan::Resource> primary() const;
    bool hasHostView() const { return memoryType != MemoryTypes::eStorage; }
    /// Start of the host view, refreshed where it was stale; null for eStorage.
    void* hostView();
    /// The mirror, made now where there is none. Only where mirrored.
    const std::shared_ptr<vulkan::Buffer>& ensureMirror();
    /// Copies the device memory to a stale mirror.
    void refreshMirror();
    /// The device memory changed in another way than through the mirror.
    void noteDeviceWrite();
    /// Puts initial data where the memory type keeps them.
    void initialise(const void* data);
    /// Frees everything and marks it, so that recorded work is refused.
    void release();

    /// Moves what holds the host view's memory out of the way of release().
    void keepView();

    void pushRows();
    void pullRows();
};

/// elements x elementSize. @throws InvalidArgument for 0 ("zero-sized") and where it does not fit
/// into 64 bits
uint64_t checkedBytes(uint64_t count, uint64_t elementSize, const char* noun);

/// Decides where memory of a type lives on this device.
struct MemoryPlacement {
    vulkan::MemoryPlace place = vulkan::MemoryPlace::eDevice;
    bool mirrored = false;
};
MemoryPlacement placementOf(const vulkan::Device& device, Memory::MemoryTypes type);

/// @throws InvalidArgument where device memory of @p source cannot be copied to @p destination
void requireCopyable(const Memory& source, const Memory& destination);

/// @throws InvalidArgument naming both devices where @p memory lives on another one than @p device
void requireSameDevice(const Memory& memory, const vulkan::Device& device, const char* user);

} // namespace kp
