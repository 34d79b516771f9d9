// SPDX-License-Identifier: Apache-2.0
#include <kompute/Memory.hpp>

#include <cstring>
#include <iterator>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/check/CheckReport.hpp"
#include "core/image/ImageChannels.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/memory/Numbers.hpp"
#include "core/memory/ScalarTypes.hpp"
#include "core/queue/LaunchCapture.hpp"
#include "core/queue/QueueImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

// In the order of Memory::MemoryTypes.
constexpr const char* kMemoryTypeNames[] = {"eDevice", "eHost", "eStorage", "eDeviceAndHost"};

struct DataTypeInfo {
    const char* name;
    uint32_t bytes;
};

// In the order of Memory::DataTypes.
constexpr DataTypeInfo kDataTypeInfos[] = {
    {"eBool", sizeof(bool)},
    {"eInt", 4},
    {"eUnsignedInt", 4},
    {"eFloat", 4},
    {"eDouble", 8},
    {"eCustom", 0},
    {"eShort", 2},
    {"eUnsignedShort", 2},
    {"eChar", 1},
    {"eUnsignedChar", 1},
    {"eLong", 8},
    {"eUnsignedLong", 8},
    {"eHalf", 2},
    {"eBFloat16", 2},
};

const DataTypeInfo* dataTypeInfo(Memory::DataTypes type) {
    const auto index = static_cast<size_t>(type);
    return index < std::size(kDataTypeInfos) ? &kDataTypeInfos[index] : nullptr;
}

void requireTransferRange(const Memory::Impl& impl, uint64_t bytes, uint64_t offset,
                          const char* call) {
    impl.requireAlive();
    if (impl.image && (offset != 0 || bytes != impl.hostBytes()))
        fail<InvalidArgument>("{} of an image moves all of its {} bytes, but {} bytes at offset {} "
                              "were asked for",
                              call, impl.hostBytes(), bytes, offset);
    if (offset > impl.bytes() || bytes > impl.bytes() - offset)
        fail<InvalidArgument>("{} of {} bytes at offset {} does not fit into a tensor of {} bytes",
                              call, bytes, offset, impl.bytes());
}

void requireData(const void* data, uint64_t bytes, const char* call) {
    if (!data && bytes > 0)
        fail<InvalidArgument>("{} of {} bytes was given a null pointer", call, bytes);
}

/// Calls @p function with the buffer or the image that is the device memory.
template <typename Function>
void withPrimary(const Memory::Impl& impl, const Function& function) {
    if (impl.buffer)
        function(*impl.buffer);
    else
        function(*impl.image);
}

} // namespace

std::string Memory::toString(MemoryTypes type) {
    const auto index = static_cast<size_t>(type);
    return index < std::size(kMemoryTypeNames) ? kMemoryTypeNames[index] : "unknown";
}

std::string Memory::toString(DataTypes type) {
    const DataTypeInfo* info = dataTypeInfo(type);
    return info ? info->name : "unknown";
}

uint32_t Memory::dataTypeMemorySize(DataTypes type) {
    const DataTypeInfo* info = dataTypeInfo(type);
    return info ? info->bytes : 0;
}

Memory::Memory(std::unique_ptr<Impl> impl) : mImpl(std::move(impl)) {}
Memory::~Memory() = default;

Memory::MemoryTypes Memory::memoryType() const {
    return mImpl->memoryType;
}
Memory::DataTypes Memory::dataType() const {
    return mImpl->dataType;
}
bool Memory::isInit() const {
    return mImpl->device != nullptr;
}
bool Memory::canBeReused() const {
    return isInit() && !WaitingLaunch::any();
}
void Memory::destroy() {
    const CallGate::Call call(mImpl->gate);
    mImpl->release();
}
void Memory::setName(std::string_view text) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    const std::string name(text);
    const vulkan::Device& device = *mImpl->device;
    mImpl->entry.setName(name);
    if (mImpl->buffer) {
        mImpl->buffer->noteName();
        device.setName(VK_OBJECT_TYPE_BUFFER, mImpl->buffer->handle(), name);
        return;
    }
    device.setName(VK_OBJECT_TYPE_IMAGE, mImpl->image->handle(), name);
}
uint64_t Memory::size() const {
    return mImpl->hostCount;
}
uint32_t Memory::dataTypeMemorySize() const {
    return mImpl->elementSize;
}
uint64_t Memory::memorySize() const {
    return mImpl->hostBytes();
}
uint64_t Memory::getX() const {
    return mImpl->x;
}
uint64_t Memory::getY() const {
    return mImpl->y;
}
void* Memory::rawData() {
    return mImpl->hostView(true);
}

void Memory::keepHostView() {
    mImpl->keepsView = true;
}
bool Memory::hostViewReady() const {
    return mImpl->hostViewReady();
}

void Memory::noteHostChange() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    if (mImpl->mirrored)
        mImpl->mirror().noteHostChange();
}

bool Memory::deviceHasContents() const {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    return !mImpl->mirrored || mImpl->mirror().deviceHasContents();
}

unsigned char* Memory::descriptorStore() {
    return mImpl->descriptorInfo;
}

const void* Memory::hostViewFor(size_t elementSize, DataTypes type) {
    mImpl->requireAlive();
    if (!mImpl->hasHostView())
        throw InvalidArgument("eStorage memory has no host view: copy it with OpCopy to eDevice or "
                              "eHost memory, or call download()");
    if (elementSize != mImpl->elementSize)
        fail<InvalidArgument>("vector<T>() with a T of {} bytes, but the elements ({}) have {} "
                              "bytes; call to<T>() to "
                              "convert numbers",
                              elementSize, toString(mImpl->dataType), mImpl->elementSize);
    requireSameNumbers(type, "vector<T>()");
    return mImpl->packedView();
}

void Memory::convertHostView(void* numbers, DataTypes type) {
    convertNumbers(hostViewFor(mImpl->elementSize, DataTypes::eCustom), mImpl->dataType, size(),
                   numbers, type);
}

void Memory::requireSameNumbers(DataTypes type, const char* call) const {
    mImpl->requireAlive();
    if (!takes(scalarTypeOf(mImpl->dataType), type))
        fail<InvalidArgument>("{} with a T of {}, but the elements are {}: call to<T>(), which "
                              "converts them, or read their bits through rawData()",
                              call, toString(type), toString(mImpl->dataType));
}

void Memory::requireNumbers(DataTypes type) const {
    mImpl->requireAlive();
    if (!takes(scalarTypeOf(mImpl->dataType), type))
        fail<InvalidArgument>("the array has elements of {} ({} bytes), but this memory has {}: "
                              "convert them, or give a pointer and a number of bytes",
                              toString(type), dataTypeMemorySize(type), toString(mImpl->dataType));
}

uint64_t Memory::offsetOf(uint64_t element, size_t elementSize, DataTypes type) const {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    if (elementSize != mImpl->elementSize)
        fail<InvalidArgument>("the array has elements of {} bytes, but this memory's ({}) have {}: "
                              "convert them, or give a pointer and a number of bytes",
                              elementSize, toString(mImpl->dataType), mImpl->elementSize);
    requireNumbers(type);
    return element > UINT64_MAX / elementSize ? UINT64_MAX : element * elementSize;
}

void Memory::setData(const void* data, size_t bytes) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    if (!mImpl->hasHostView())
        throw InvalidArgument(
            "eStorage memory has no host view to set: call upload(), or copy to it "
            "with OpCopy");
    if (bytes != mImpl->hostBytes())
        fail<InvalidArgument>("setData was given {} bytes for {} bytes of memory", bytes,
                              mImpl->hostBytes());
    mImpl->replaceView(data);
}

void Memory::upload(const void* data, uint64_t bytes, uint64_t offset) {
    const CallGate::Call call(mImpl->gate);
    requireTransferRange(*mImpl, bytes, offset, "upload");
    if (bytes == 0)
        return;
    requireData(data, bytes, "upload");
    LaunchCapture::refuse("writing memory from the host");
    mImpl->followLaunches();
    if (bytes < mImpl->hostBytes())
        mImpl->bringToDevice();
    mImpl->upload(data, bytes, offset);
    mImpl->noteDeviceWrite();
}

void Memory::download(void* data, uint64_t bytes, uint64_t offset) {
    const CallGate::Call call(mImpl->gate);
    requireTransferRange(*mImpl, bytes, offset, "download");
    requireData(data, bytes, "download");
    LaunchCapture::refuse("reading memory on the host");
    mImpl->followLaunches();
    mImpl->bringToDevice();
    if (mImpl->padded)
        mImpl->pushRows();
    if (mImpl->buffer)
        mImpl->device->transfer().download(mImpl->buffer, offset, data, bytes);
    else
        downloadTexels(mImpl->device->transfer(), mImpl->image, data);
    throwFaults(*mImpl->device);
}

void Memory::recordCopyFromStagingToDevice(const vk::CommandBuffer& commandBuffer) {
    if (!Recorder::knowsAccesses(native::handleOf(commandBuffer)))
        mImpl->expose();
    mImpl->requireAlive();
    if (mImpl->mirrored)
        withPrimary(*mImpl, [&](auto& memory) {
            vulkan::recordCopy(native::handleOf(commandBuffer), *mImpl->mirrorBuffer(), memory);
        });
}

void Memory::recordCopyFromDeviceToStaging(const vk::CommandBuffer& commandBuffer) {
    if (!Recorder::knowsAccesses(native::handleOf(commandBuffer)))
        mImpl->expose();
    mImpl->requireAlive();
    if (mImpl->mirrored)
        withPrimary(*mImpl, [&](auto& memory) {
            vulkan::recordCopy(native::handleOf(commandBuffer), memory, *mImpl->mirrorBuffer());
        });
}

void Memory::recordCopyFrom(const vk::CommandBuffer& commandBuffer,
                            std::shared_ptr<Memory> source) {
    requireCopyable(*source, *this);
    if (!Recorder::knowsAccesses(native::handleOf(commandBuffer))) {
        implOf(*source).expose();
        mImpl->expose();
    }
    withPrimary(implOf(*source), [&](auto& from) {
        withPrimary(*mImpl, [&](auto& to) {
            vulkan::recordCopy(native::handleOf(commandBuffer), from, to);
        });
    });
}

void Memory::recordPrimaryMemoryBarrier(const vk::CommandBuffer& commandBuffer,
                                        vk::AccessFlagBits srcAccess, vk::AccessFlagBits dstAccess,
                                        vk::PipelineStageFlagBits srcStage,
                                        vk::PipelineStageFlagBits dstStage) {
    mImpl->requireAlive();
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    const auto src = static_cast<VkAccessFlags>(srcAccess);
    const auto dst = static_cast<VkAccessFlags>(dstAccess);
    const auto before = static_cast<VkPipelineStageFlags>(srcStage);
    const auto after = static_cast<VkPipelineStageFlags>(dstStage);
    if (mImpl->buffer)
        vulkan::recordBufferBarrier(commands, *mImpl->buffer, src, dst, before, after);
    else
        vulkan::recordImageBarrier(commands, *mImpl->image, src, dst, before, after,
                                   mImpl->image->recordedLayout());
}

void Memory::recordStagingMemoryBarrier(const vk::CommandBuffer& commandBuffer,
                                        vk::AccessFlagBits srcAccess, vk::AccessFlagBits dstAccess,
                                        vk::PipelineStageFlagBits srcStage,
                                        vk::PipelineStageFlagBits dstStage) {
    mImpl->requireAlive();
    if (!mImpl->mirrored)
        return;
    vulkan::recordBufferBarrier(
        native::handleOf(commandBuffer), *mImpl->mirrorBuffer(),
        static_cast<VkAccessFlags>(srcAccess), static_cast<VkAccessFlags>(dstAccess),
        static_cast<VkPipelineStageFlags>(srcStage), static_cast<VkPipelineStageFlags>(dstStage));
}

} // namespace kp
