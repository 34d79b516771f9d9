// SPDX-License-Identifier: Apache-2.0
#include <kompute/Tensor.hpp>

#include <kompute/Error.hpp>

#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"

namespace kp {
namespace {

void setShape(Memory::Impl& impl, uint64_t count, uint64_t elementSize) {
    impl.count = count;
    impl.elementSize = static_cast<uint32_t>(elementSize);
    impl.x = count;
    impl.y = 1;
}

std::unique_ptr<Memory::Impl> makeImpl(std::shared_ptr<vulkan::Device> device, uint64_t count,
                                       uint64_t elementSize, Memory::DataTypes dataType,
                                       Memory::MemoryTypes memoryType) {
    const uint64_t bytes = checkedBytes(count, elementSize, "tensor");
    const MemoryPlacement placement = placementOf(*device, memoryType);
    auto impl = std::make_unique<Memory::Impl>();
    impl->memoryType = memoryType;
    impl->dataType = dataType;
    impl->mirrored = placement.mirrored;
    impl->buffer = vulkan::Buffer::create(*device, bytes, placement.place);
    impl->device = std::move(device);
    setShape(*impl, count, elementSize);
    return impl;
}

std::unique_ptr<Memory::Impl> makeImpl(std::shared_ptr<vulkan::Device> device, const void* data,
                                       uint64_t count, uint64_t elementSize,
                                       Memory::DataTypes dataType, Memory::MemoryTypes memoryType) {
    auto impl = makeImpl(std::move(device), count, elementSize, dataType, memoryType);
    impl->initialise(data);
    return impl;
}

/// Around memory that is there already.
std::unique_ptr<Memory::Impl> aroundImpl(std::shared_ptr<vulkan::Device> device,
                                         std::shared_ptr<vulkan::Buffer> buffer, uint64_t count,
                                         uint64_t elementSize, Memory::DataTypes dataType,
                                         Memory::MemoryTypes memoryType) {
    auto impl = std::make_unique<Memory::Impl>();
    impl->memoryType = memoryType;
    impl->dataType = dataType;
    impl->mirrored = memoryType == Memory::MemoryTypes::eDevice;
    // What is there already is what the host view shows first.
    impl->mirrorStale = impl->mirrored;
    impl->buffer = std::move(buffer);
    impl->device = std::move(device);
    setShape(*impl, count, elementSize);
    return impl;
}

std::unique_ptr<Memory::Impl> wrapImpl(std::shared_ptr<vulkan::Device> device, VkBuffer buffer,
                                       uint64_t offset, uint64_t count, uint64_t elementSize,
                                       Memory::DataTypes dataType, Memory::MemoryTypes memoryType) {
    if (memoryType != Memory::MemoryTypes::eDevice && memoryType != Memory::MemoryTypes::eStorage)
        throw InvalidArgument("a wrapped VkBuffer is eDevice or eStorage, not " +
                              Memory::toString(memoryType) +
                              ": the library does not know how its memory is mapped");
    const uint64_t bytes = checkedBytes(count, elementSize, "tensor");
    auto wrapped = vulkan::Buffer::wrap(*device, buffer, offset, bytes);
    return aroundImpl(std::move(device), std::move(wrapped), count, elementSize, dataType,
                      memoryType);
}

} // namespace

Tensor::Tensor(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device, void* data,
               uint64_t elementTotalCount, uint64_t elementMemorySize, const DataTypes& dataType,
               const MemoryTypes& memoryType)
    : Tensor(native::findDevice(device), data, elementTotalCount, elementMemorySize, dataType,
             memoryType) {}

Tensor::Tensor(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
               uint64_t elementTotalCount, uint64_t elementMemorySize, const DataTypes& dataType,
               const MemoryTypes& memoryType)
    : Tensor(native::findDevice(device), nullptr, elementTotalCount, elementMemorySize, dataType,
             memoryType) {}

Tensor::Tensor(std::shared_ptr<vulkan::Device> device, const void* data, uint64_t elementTotalCount,
               uint64_t elementMemorySize, DataTypes dataType, MemoryTypes memoryType)
    : Memory(makeImpl(std::move(device), data, elementTotalCount, elementMemorySize, dataType,
                      memoryType)) {}

Tensor::Tensor(std::shared_ptr<vulkan::Device> device, VkBuffer buffer, uint64_t offset,
               uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
               MemoryTypes memoryType)
    : Memory(wrapImpl(std::move(device), buffer, offset, elementTotalCount, elementMemorySize,
                      dataType, memoryType)) {}

Tensor::Tensor(std::shared_ptr<vulkan::Device> device, std::shared_ptr<vulkan::Buffer> buffer,
               uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
               MemoryTypes memoryType)
    : Memory(aroundImpl(std::move(device), std::move(buffer), elementTotalCount, elementMemorySize,
                        dataType, memoryType)) {}

Tensor::~Tensor() = default;

void Tensor::setElementType(DataTypes dataType) {
    mImpl->dataType = dataType;
}

void Tensor::rebuild(const void* data, uint64_t elementTotalCount, uint64_t elementMemorySize) {
    mImpl->requireAlive();
    auto fresh = makeImpl(mImpl->device, data, elementTotalCount, elementMemorySize,
                          mImpl->dataType, mImpl->memoryType);
    mImpl->release();
    fresh->keepsView = mImpl->keepsView;
    fresh->keptViews = std::move(mImpl->keptViews);
    *mImpl = std::move(*fresh);
}

void Tensor::setRawData(const void* data) {
    Memory::setData(data, memorySize());
}

VkBuffer Tensor::nativeBuffer() const {
    mImpl->requireAlive();
    return mImpl->buffer->handle();
}

uint64_t Tensor::nativeOffset() const {
    mImpl->requireAlive();
    return mImpl->buffer->offset();
}

ExternalMemory Tensor::exportMemory() const {
    mImpl->requireAlive();
    return mImpl->buffer->exportMemory();
}

uint64_t Tensor::deviceAddress() const {
    mImpl->requireAlive();
    const uint64_t address = mImpl->buffer->deviceAddress();
    if (address == 0)
        throw Unsupported(mImpl->device->name() + " has no buffer device addresses");
    return address;
}

} // namespace kp
