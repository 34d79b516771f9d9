// SPDX-License-Identifier: Apache-2.0
#include <kompute/memory/PinnedArray.hpp>

#include "base/Process.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {

struct PinnedMemory::Impl {
    std::shared_ptr<vulkan::Device> device; ///< outlives the buffer
    std::shared_ptr<vulkan::Buffer> buffer;
};

PinnedMemory::PinnedMemory(std::shared_ptr<vulkan::Device> device, uint64_t bytes)
    : mImpl(std::make_unique<Impl>()) {
    mImpl->buffer = vulkan::Buffer::create(*device, bytes, vulkan::MemoryPlace::eHost);
    device->transfer().hostRanges().add(mImpl->buffer->mapped(), bytes, mImpl->buffer, 0);
    mImpl->device = std::move(device);
}

PinnedMemory::~PinnedMemory() {
    if (!driverGone())
        mImpl->device->transfer().hostRanges().remove(*mImpl->buffer);
}

uint64_t PinnedMemory::bytes() const {
    return mImpl->buffer->size();
}

void* PinnedMemory::memory() const {
    return mImpl->buffer->mapped();
}

} // namespace kp
