// SPDX-License-Identifier: Apache-2.0
#include <kompute/Memory.hpp>

#include <cstring>
#include <limits>

#include <kompute/Error.hpp>

#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/Transfer.hpp"

namespace kp {
namespace {

struct TypeInfo {
    const char* name;
    uint32_t bytes;
};

// In the order of Memory::DataTypes.
constexpr TypeInfo kTypes[] = {
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

const TypeInfo* infoOf(Memory::DataTypes type) {
    const auto index = static_cast<size_t>(type);
    return index < std::size(kTypes) ? &kTypes[index] : nullptr;
}

/// A non-dispatchable handle is a pointer or a 64-bit number, depending on the platform.
template <typename Handle>
uint64_t handleBits(Handle handle) {
    uint64_t bits = 0;
    std::memcpy(&bits, &handle, sizeof handle);
    return bits;
}

void requireRange(const Memory::Impl& impl, uint64_t bytes, uint64_t offset, const char* call) {
    impl.requireAlive();
    if (impl.image && (offset != 0 || bytes != impl.bytes()))
        throw InvalidArgument(std::string(call) + " of an image moves all of its " +
                              std::to_string(impl.bytes()) + " bytes, but " +
                              std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                              " were asked for");
    if (offset > impl.bytes() || bytes > impl.bytes() - offset)
        throw InvalidArgument(std::string(call) + " of " + std::to_string(bytes) +
                              " bytes at offset " + std::to_string(offset) +
                              " does not fit into a tensor of " + std::to_string(impl.bytes()) +
                              " bytes");
}

} // namespace

uint64_t checkedBytes(uint64_t count, uint64_t elementSize, const char* noun) {
    if (count == 0 || elementSize == 0)
        throw InvalidArgument(std::string("a zero-sized ") + noun +
                              " cannot be created: " + std::to_string(count) + " elements of " +
                              std::to_string(elementSize) + " bytes were asked for");
    if (count > std::numeric_limits<uint64_t>::max() / elementSize ||
        elementSize > std::numeric_limits<uint32_t>::max())
        throw InvalidArgument(std::string("a ") + noun + " of " + std::to_string(count) +
                              " elements of " + std::to_string(elementSize) +
                              " bytes is larger than any device can address");
    return count * elementSize;
}

MemoryPlacement placementOf(const vulkan::Device& device, Memory::MemoryTypes type) {
    switch (type) {
    case Memory::MemoryTypes::eDevice:
        return {vulkan::MemoryPlace::eDevice, true};
    case Memory::MemoryTypes::eHost:
        return {vulkan::MemoryPlace::eHost, false};
    case Memory::MemoryTypes::eStorage:
        return {vulkan::MemoryPlace::eDevice, false};
    case Memory::MemoryTypes::eDeviceAndHost:
        if (device.allocator().offers(vulkan::MemoryPlace::eDeviceMapped))
            return {vulkan::MemoryPlace::eDeviceMapped, false};
        return {vulkan::MemoryPlace::eDevice, true};
    }
    throw InvalidArgument("unknown memory type " + std::to_string(static_cast<int>(type)));
}

void requireSameDevice(const Memory& memory, const vulkan::Device& device, const char* user) {
    const Memory::Impl& impl = memory.impl();
    impl.requireAlive();
    if (impl.device.get() == &device)
        return;
    std::string message = std::string("a ") + impl.noun() + " of device \"" + impl.device->name() +
                          "\" cannot be used by " + user + " of device \"" + device.name() + "\"";
    if (impl.device->physical().handle == device.physical().handle)
        message += ": the two managers asked for different queues, extensions or options and so "
                   "have a VkDevice each; make them with the same options";
    throw InvalidArgument(message);
}

void requireCopyable(const Memory& source, const Memory& destination) {
    const Memory::Impl& from = source.impl();
    const Memory::Impl& to = destination.impl();
    to.requireAlive();
    requireSameDevice(source, *to.device, "a copy");
    if (from.dataType != to.dataType)
        throw InvalidArgument("a copy needs equal data types, but the source has " +
                              Memory::toString(from.dataType) + " and the destination " +
                              Memory::toString(to.dataType));
    if (from.count != to.count || from.bytes() != to.bytes())
        throw InvalidArgument(
            "a copy needs equal sizes, but the source has " + std::to_string(from.count) +
            " elements (" + std::to_string(from.bytes()) + " bytes) and the destination " +
            std::to_string(to.count) + " (" + std::to_string(to.bytes()) + " bytes)");
    if (from.image && to.image && (from.x != to.x || from.y != to.y))
        throw InvalidArgument(
            "a copy between images needs equal width and height, but the source is " +
            std::to_string(from.x) + " x " + std::to_string(from.y) + " and the destination " +
            std::to_string(to.x) + " x " + std::to_string(to.y));
}

void Memory::Impl::requireAlive() const {
    if (!device)
        throw InvalidArgument("this tensor or image was destroyed, or its manager was");
}

std::shared_ptr<vulkan::Resource> Memory::Impl::primary() const {
    if (buffer)
        return buffer;
    return image;
}

const std::shared_ptr<vulkan::Buffer>& Memory::Impl::ensureMirror() {
    requireAlive();
    if (!mirror)
        mirror = vulkan::Buffer::create(*device, bytes(), vulkan::MemoryPlace::eHost);
    return mirror;
}

void Memory::Impl::refreshMirror() {
    if (!mirrored || !mirrorStale)
        return;
    ensureMirror();
    if (buffer) {
        device->transfer().download(buffer, 0, mirror, bytes());
    } else {
        mirror->waitUntilFree(true);
        device->transfer().download(image, mirror->mapped());
    }
    mirrorStale = false;
}

void Memory::Impl::noteDeviceWrite() {
    if (mirrored)
        mirrorStale = true;
    else if (padded && !rows.empty())
        pullRows();
}

void* Memory::Impl::hostView() {
    requireAlive();
    if (!hasHostView())
        return nullptr;
    if (mirrored) {
        refreshMirror();
        return ensureMirror()->mapped();
    }
    if (padded) {
        if (rows.empty()) {
            rows.resize(bytes());
            pullRows();
        }
        return rows.data();
    }
    return buffer ? buffer->mapped() : image->mapped();
}

void Memory::Impl::initialise(const void* data) {
    if (!data)
        return;
    if (!hasHostView()) {
        if (buffer)
            device->transfer().upload(buffer, 0, data, bytes());
        else
            device->transfer().upload(image, data);
        return;
    }
    std::memcpy(hostView(), data, bytes());
}

void Memory::Impl::pushRows() {
    if (rows == rowsInImage)
        return;
    device->transfer().upload(image, rows.data());
    rowsInImage = rows;
}

void Memory::Impl::pullRows() {
    if (rows.empty())
        return;
    device->transfer().download(image, rows.data());
    rowsInImage = rows;
}

void Memory::Impl::keepView() {
    struct View {
        std::shared_ptr<vulkan::Device> device; // declared first: gone last
        std::shared_ptr<vulkan::Resource> memory;
        std::vector<unsigned char> rows;
    };
    if (device && hasHostView())
        keptViews.push_back(std::make_shared<View>(
            View{device, mirrored ? std::shared_ptr<vulkan::Resource>(mirror) : primary(),
                 std::move(rows)}));
}

void Memory::Impl::release() {
    if (keepsView)
        keepView();
    for (vulkan::Resource* resource :
         {static_cast<vulkan::Resource*>(buffer.get()), static_cast<vulkan::Resource*>(image.get()),
          static_cast<vulkan::Resource*>(mirror.get())})
        if (resource)
            resource->markDestroyed();
    buffer.reset();
    image.reset();
    mirror.reset();
    rows = {};
    rowsInImage = {};
    count = 0;
    elementSize = 0;
    device.reset();
}

std::string Memory::toString(MemoryTypes type) {
    switch (type) {
    case MemoryTypes::eDevice:
        return "eDevice";
    case MemoryTypes::eHost:
        return "eHost";
    case MemoryTypes::eStorage:
        return "eStorage";
    case MemoryTypes::eDeviceAndHost:
        return "eDeviceAndHost";
    }
    return "unknown";
}

std::string Memory::toString(DataTypes type) {
    const TypeInfo* info = infoOf(type);
    return info ? info->name : "unknown";
}

uint32_t Memory::dataTypeMemorySize(DataTypes type) {
    const TypeInfo* info = infoOf(type);
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
void Memory::destroy() {
    mImpl->release();
}
void Memory::setName(const std::string& name) {
    mImpl->requireAlive();
    const vulkan::Device& device = *mImpl->device;
    if (mImpl->buffer)
        device.setName(VK_OBJECT_TYPE_BUFFER, handleBits(mImpl->buffer->handle()), name);
    else
        device.setName(VK_OBJECT_TYPE_IMAGE, handleBits(mImpl->image->handle()), name);
}
uint64_t Memory::size() const {
    return mImpl->count;
}
uint32_t Memory::dataTypeMemorySize() const {
    return mImpl->elementSize;
}
uint64_t Memory::memorySize() const {
    return mImpl->bytes();
}
uint64_t Memory::getX() const {
    return mImpl->x;
}
uint64_t Memory::getY() const {
    return mImpl->y;
}
void* Memory::rawData() {
    return mImpl->hostView();
}

void Memory::keepHostView() {
    mImpl->keepsView = true;
}
bool Memory::hostViewReady() const {
    return !mImpl->mirrorStale;
}

unsigned char* Memory::descriptorStore() {
    return mImpl->descriptorInfo;
}

const void* Memory::hostViewFor(size_t elementSize) {
    mImpl->requireAlive();
    if (!mImpl->hasHostView())
        throw InvalidArgument("eStorage memory has no host view: copy it with OpCopy to eDevice or "
                              "eHost memory, or call download()");
    if (elementSize != mImpl->elementSize)
        throw InvalidArgument("vector<T>() with a T of " + std::to_string(elementSize) +
                              " bytes, but the elements (" + toString(mImpl->dataType) + ") have " +
                              std::to_string(mImpl->elementSize) + " bytes");
    return mImpl->hostView();
}

void Memory::setData(const void* data, size_t bytes) {
    mImpl->requireAlive();
    if (!mImpl->hasHostView())
        throw InvalidArgument(
            "eStorage memory has no host view to set: call upload(), or copy to it "
            "with OpCopy");
    if (bytes != mImpl->bytes())
        throw InvalidArgument("setData was given " + std::to_string(bytes) + " bytes for " +
                              std::to_string(mImpl->bytes()) + " bytes of memory");
    // Everything is overwritten, so there is nothing to refresh first.
    if (mImpl->mirrored) {
        mImpl->ensureMirror();
        mImpl->mirrorStale = false;
    }
    std::memcpy(mImpl->hostView(), data, bytes);
}

void Memory::upload(const void* data, uint64_t bytes, uint64_t offset) {
    requireRange(*mImpl, bytes, offset, "upload");
    if (bytes == 0)
        return;
    if (mImpl->buffer)
        mImpl->device->transfer().upload(mImpl->buffer, offset, data, bytes);
    else
        mImpl->device->transfer().upload(mImpl->image, data);
    mImpl->noteDeviceWrite();
}

void Memory::download(void* data, uint64_t bytes, uint64_t offset) {
    requireRange(*mImpl, bytes, offset, "download");
    if (mImpl->padded)
        mImpl->pushRows();
    if (mImpl->buffer)
        mImpl->device->transfer().download(mImpl->buffer, offset, data, bytes);
    else
        mImpl->device->transfer().download(mImpl->image, data);
}

void Memory::recordCopyFromStagingToDevice(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireAlive();
    if (!mImpl->mirrored)
        return;
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    const vulkan::Buffer& mirror = *mImpl->ensureMirror();
    if (mImpl->buffer)
        vulkan::recordCopy(commands, mirror, *mImpl->buffer);
    else
        vulkan::recordCopy(commands, mirror, *mImpl->image);
}

void Memory::recordCopyFromDeviceToStaging(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireAlive();
    if (!mImpl->mirrored)
        return;
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    const vulkan::Buffer& mirror = *mImpl->ensureMirror();
    if (mImpl->buffer)
        vulkan::recordCopy(commands, *mImpl->buffer, mirror);
    else
        vulkan::recordCopy(commands, *mImpl->image, mirror);
}

void Memory::recordCopyFrom(const vk::CommandBuffer& commandBuffer,
                            std::shared_ptr<Memory> source) {
    requireCopyable(*source, *this);
    const Impl& from = source->impl();
    const Impl& to = *mImpl;
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    if (from.buffer && to.buffer)
        vulkan::recordCopy(commands, *from.buffer, *to.buffer);
    else if (from.buffer)
        vulkan::recordCopy(commands, *from.buffer, *to.image);
    else if (to.buffer)
        vulkan::recordCopy(commands, *from.image, *to.buffer);
    else
        vulkan::recordCopy(commands, *from.image, *to.image);
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
        native::handleOf(commandBuffer), *mImpl->ensureMirror(),
        static_cast<VkAccessFlags>(srcAccess), static_cast<VkAccessFlags>(dstAccess),
        static_cast<VkPipelineStageFlags>(srcStage), static_cast<VkPipelineStageFlags>(dstStage));
}

} // namespace kp
