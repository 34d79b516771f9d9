// SPDX-License-Identifier: Apache-2.0
#include <kompute/Tensor.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/manager/WrapHostDevice.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "shader/check/CheckMode.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp {
namespace {

std::unique_ptr<Memory::Impl> tensorImpl(std::shared_ptr<vulkan::Device> device,
                                         std::shared_ptr<vulkan::Buffer> buffer, uint64_t count,
                                         uint64_t elementSize, Memory::DataTypes dataType,
                                         Memory::MemoryTypes memoryType, bool mirrored) {
    auto impl = std::make_unique<Memory::Impl>();
    impl->mirrored = mirrored;
    impl->device = std::move(device);
    impl->memoryType = memoryType;
    impl->dataType = dataType;
    impl->count = count;
    impl->hostCount = count;
    impl->elementSize = static_cast<uint32_t>(elementSize);
    impl->x = count;
    impl->y = 1;
    impl->buffer = std::move(buffer);
    return impl;
}

std::unique_ptr<Memory::Impl> newTensorImpl(const std::shared_ptr<vulkan::Device>& device,
                                            const void* data, uint64_t count, uint64_t elementSize,
                                            Memory::DataTypes dataType,
                                            Memory::MemoryTypes memoryType) {
    const uint64_t bytes = checkedBytes(count, elementSize, "tensor");
    const MemoryPlacement placement = placementOf(*device, memoryType);
    auto impl = tensorImpl(device, vulkan::Buffer::create(*device, bytes, placement.place), count,
                           elementSize, dataType, memoryType, placement.mirrored);
    if (!data && shader::currentChecks().uninitialised)
        impl->followWrites();
    impl->initialise(data);
    return impl;
}

} // namespace

Tensor::Tensor(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device, void* data,
               uint64_t elementTotalCount, uint64_t elementMemorySize, const DataTypes& dataType,
               const MemoryTypes& memoryType)
    : Tensor(findDevice(device), data, elementTotalCount, elementMemorySize, dataType, memoryType) {
}

Tensor::Tensor(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
               uint64_t elementTotalCount, uint64_t elementMemorySize, const DataTypes& dataType,
               const MemoryTypes& memoryType)
    : Tensor(findDevice(device), nullptr, elementTotalCount, elementMemorySize, dataType,
             memoryType) {}

Tensor::Tensor(std::shared_ptr<vulkan::Device> device, const void* data, uint64_t elementTotalCount,
               uint64_t elementMemorySize, DataTypes dataType, MemoryTypes memoryType)
    : Memory(newTensorImpl(device, data, elementTotalCount, elementMemorySize, dataType,
                           memoryType)) {}

Tensor::Tensor(std::shared_ptr<vulkan::Device> device, VkBuffer buffer, uint64_t offset,
               uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
               MemoryTypes memoryType)
    : Tensor(device,
             vulkan::Buffer::wrap(*device, buffer, offset,
                                  checkedBytes(elementTotalCount, elementMemorySize, "tensor")),
             elementTotalCount, elementMemorySize, dataType, memoryType) {
    requireDeviceMemory(memoryType, "a wrapped VkBuffer");
}

Tensor::Tensor(std::shared_ptr<vulkan::Device> device, std::shared_ptr<vulkan::Buffer> buffer,
               uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
               MemoryTypes memoryType)
    : Memory(tensorImpl(device, std::move(buffer), elementTotalCount, elementMemorySize, dataType,
                        memoryType, placementOf(*device, memoryType).mirrored)) {
    mImpl->addMirror();
    mImpl->expose();
    mImpl->hasContents = true;
    mImpl->noteDeviceWrite();
}

Tensor::~Tensor() = default;

void Tensor::setElementType(DataTypes dataType) {
    mImpl->dataType = dataType;
}

void Tensor::rebuild(const void* data, uint64_t elementTotalCount, uint64_t elementMemorySize) {
    mImpl->requireAlive();
    auto fresh = newTensorImpl(mImpl->device, data, elementTotalCount, elementMemorySize,
                               mImpl->dataType, mImpl->memoryType);
    fresh->enter(mImpl->entry.account());
    fresh->entry.setName(mImpl->entry.name());
    mImpl->release();
    fresh->managerQueue = mImpl->managerQueue;
    fresh->keepsView = mImpl->keepsView;
    fresh->keptViews = std::move(mImpl->keptViews);
    mImpl = std::move(fresh);
}

void Tensor::setRawData(const void* data) {
    Memory::setData(data, memorySize());
}

VkBuffer Tensor::nativeBuffer() const {
    mImpl->expose();
    vulkan::Buffer::noteGiven(mImpl->buffer);
    return mImpl->buffer->handle();
}

uint64_t Tensor::nativeOffset() const {
    mImpl->requireAlive();
    return mImpl->buffer->offset();
}

ExternalMemory Tensor::exportMemory() const {
    mImpl->expose();
    return vulkan::Buffer::exportMemory(*mImpl->buffer);
}

uint64_t Tensor::deviceAddress() const {
    mImpl->expose();
    const uint64_t address = mImpl->buffer->deviceAddress();
    if (address == 0)
        fail<Unsupported>("{} has no buffer device addresses", mImpl->device->name());
    return address;
}

std::shared_ptr<Tensor> tensorOf(const std::shared_ptr<vulkan::Device>& device,
                                 std::shared_ptr<vulkan::Buffer> buffer, uint32_t elementBytes) {
    const uint64_t count = buffer->size() / elementBytes;
    return Internals::make<Tensor>(device, std::move(buffer), count, elementBytes,
                                   elementBytes == 1 ? Memory::DataTypes::eUnsignedChar
                                                     : Memory::DataTypes::eUnsignedInt,
                                   Memory::MemoryTypes::eStorage);
}

std::shared_ptr<Tensor> scratchTensor(const std::shared_ptr<vulkan::Device>& device,
                                      uint64_t bytes) {
    return tensorOf(device, vulkan::Buffer::createScratch(*device, bytes), sizeof(uint32_t));
}

} // namespace kp
