// SPDX-License-Identifier: Apache-2.0
#include "core/memory/MemoryImpl.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <kompute/Error.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"
#include "core/check/CheckReport.hpp"
#include "core/check/CheckedShader.hpp"
#include "core/image/ImageChannels.hpp"
#include "core/queue/LaunchCapture.hpp"
#include "core/queue/QueueImpl.hpp"
#include "vulkan/memory/WrittenMemory.hpp"
#include "vulkan/queue/Submission.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

bool sameShape(const vulkan::ImageInfo& a, const vulkan::ImageInfo& b) {
    return a.dimensions() == b.dimensions() && a.width == b.width && a.height == b.height &&
           a.depth == b.depth && a.layers == b.layers;
}

std::string describeShape(const vulkan::ImageInfo& info) {
    return formatted(
        "{}{}{}{}", info.width,
        info.dimensions() == VK_IMAGE_TYPE_1D ? std::string() : formatted(" x {}", info.height),
        info.dimensions() == VK_IMAGE_TYPE_3D ? formatted(" x {}", info.depth) : std::string(),
        info.layers > 1 ? formatted(" in {} layers", info.layers) : std::string());
}

} // namespace

uint64_t checkedBytes(uint64_t count, uint64_t elementSize, const char* noun) {
    if (count == 0 || elementSize == 0)
        fail<InvalidArgument>("a zero-sized {} cannot be created: {} of {} were asked for", noun,
                              counted(count, "element"), counted(elementSize, "byte"));
    if (count > std::numeric_limits<uint64_t>::max() / elementSize ||
        elementSize > std::numeric_limits<uint32_t>::max())
        fail<InvalidArgument>("a {} of {} of {} is larger than any device can address", noun,
                              counted(count, "element"), counted(elementSize, "byte"));
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
    fail<InvalidArgument>("the memory type {} is unknown; Memory::MemoryTypes lists those known",
                          static_cast<int>(type));
}

void requireDeviceMemory(Memory::MemoryTypes type, const char* what) {
    if (type != Memory::MemoryTypes::eDevice && type != Memory::MemoryTypes::eStorage)
        fail<InvalidArgument>("{} is eDevice or eStorage, not {}", what, Memory::toString(type));
}

void requireSameDevice(const Memory& memory, const vulkan::Device& device, const char* user) {
    const Memory::Impl& impl = implOf(memory);
    impl.requireAlive();
    if (impl.device.get() == &device)
        return;
    failForeign(formatted("a {}", impl.noun()), *impl.device, user, device);
}

void failForeign(const std::string& object, const vulkan::Device& owner, const char* user,
                 const vulkan::Device& device) {
    if (owner.physical().handle == device.physical().handle)
        fail<InvalidArgument>("{} of one logical device of \"{}\" cannot be used by {} of another; "
                              "create both with the same manager (managers of one GPU have a "
                              "device each if a group names it twice, if their extensions, "
                              "featureChain or timelineSemaphores differ, or with shareDevice off)",
                              object, device.name(), user);
    fail<InvalidArgument>("{} of device \"{}\" cannot be used by {} of device \"{}\"; create both "
                          "with the same manager",
                          object, owner.name(), user, device.name());
}

std::array<std::optional<MemoryAddress>, 3> addressesOf(const Memory& memory) {
    using Space = MemoryAddress::Space;
    const Memory::Impl& impl = implOf(memory);
    std::array<std::optional<MemoryAddress>, 3> addresses;
    if (!impl.buffer)
        return addresses;
    addresses[0] = {Space::eBuffer, reinterpret_cast<uint64_t>(impl.buffer->handle()),
                    impl.buffer->offset()};
    if (const void* const host = impl.buffer->hostWritable())
        addresses[1] = {Space::eHost, 0, reinterpret_cast<uintptr_t>(host)};
    if (impl.cudaAddress != 0)
        addresses[2] = {Space::eCuda, 0, impl.cudaAddress};
    return addresses;
}

bool overlap(const Memory& a, const ByteRange& ofA, const Memory& b, const ByteRange& ofB) {
    const auto meet = [&](uint64_t aStart, uint64_t bStart) {
        aStart += ofA.offset;
        bStart += ofB.offset;
        return aStart < bStart + ofB.bytes && bStart < aStart + ofA.bytes;
    };
    if (&implOf(a) == &implOf(b))
        return meet(0, 0);
    const auto first = addressesOf(a);
    const auto second = addressesOf(b);
    for (size_t i = 0; i < first.size(); ++i)
        if (first[i] && second[i] && first[i]->shares(*second[i]) &&
            meet(first[i]->start, second[i]->start))
            return true;
    return false;
}

bool overlap(const Memory& a, const Memory& b) {
    return overlap(a, {0, implOf(a).bytes()}, b, {0, implOf(b).bytes()});
}

void requireCopyable(const Memory& source, const Memory& destination) {
    const Memory::Impl& from = implOf(source);
    const Memory::Impl& to = implOf(destination);
    to.requireAlive();
    requireSameDevice(source, *to.device, "a copy");
    if (from.dataType != to.dataType)
        fail<InvalidArgument>(
            "a copy needs equal data types, but the source has {} and the destination {}",
            Memory::toString(from.dataType), Memory::toString(to.dataType));
    if (from.count != to.count || from.bytes() != to.bytes())
        fail<InvalidArgument>("a copy needs equal sizes, but the source has {} ({} bytes) "
                              "and the destination {} ({} bytes){}",
                              counted(from.count, "element"), from.bytes(), to.count, to.bytes(),
                              from.addsChannel() || to.addsChannel()
                                  ? "; on the device an image of 3 channels has 4"
                                  : "");
    if (from.image && to.image && !sameShape(from.image->info(), to.image->info()))
        fail<InvalidArgument>("a copy between images needs equal types, width and height, but the "
                              "source is {} and the destination {}",
                              describeShape(from.image->info()), describeShape(to.image->info()));
    if (overlap(source, destination))
        fail<InvalidArgument>("a copy needs memory of its own for the destination, but source and "
                              "destination are views of the same {} bytes in part; copy to another "
                              "tensor",
                              from.bytes());
}

std::vector<std::shared_ptr<Memory>>
distinctObjects(const std::vector<std::shared_ptr<Memory>>& memObjects, const char* operation) {
    if (memObjects.empty())
        fail<InvalidArgument>("{} was given no memory objects", operation);
    std::vector<std::shared_ptr<Memory>> distinct;
    distinct.reserve(memObjects.size());
    for (const std::shared_ptr<Memory>& memory : memObjects) {
        if (!memory)
            fail<InvalidArgument>("{} was given a memory object that is null", operation);
        if (std::find(distinct.begin(), distinct.end(), memory) == distinct.end())
            distinct.push_back(memory);
    }
    return distinct;
}

void Memory::Impl::requireAlive() const {
    requireDriver();
    if (!device)
        throw InvalidArgument("this tensor or image was destroyed, or its manager was");
}

std::shared_ptr<vulkan::Resource> Memory::Impl::primary() const {
    if (buffer)
        return buffer;
    return image;
}

void Memory::Impl::addMirror() {
    if (!mirrored)
        return;
    if (buffer)
        vulkan::Resource::addMirror(buffer, bytes());
    else
        vulkan::Resource::addMirror(image, bytes());
}

const std::shared_ptr<vulkan::Buffer>& Memory::Impl::mirrorBuffer() const {
    requireAlive();
    return mirror().buffer();
}

void Memory::Impl::noteDeviceWrite() {
    if (mirrored)
        mirror().noteDeviceWrite();
    else if (padded && !rows.empty())
        pullRows();
}

void Memory::Impl::noteEvaluated() {
    // If it was recorded by a sequence, its submission is known.
    if (mirrored && mirror().exposed())
        mirror().noteDeviceWrite();
    else if (!mirrored)
        noteDeviceWrite();
}

void Memory::Impl::expose() const {
    requireAlive();
    if (mirrored)
        mirror().expose();
    if (buffer)
        vulkan::WrittenMemory::noteAll(*buffer);
}

void Memory::Impl::followWrites() const {
    if (buffer && buffer->allocated() && !hasContents)
        vulkan::WrittenMemory::follow(*buffer);
}

void Memory::Impl::bringToDevice() const {
    requireAlive();
    vulkan::bringToDevice(memory(), {});
}

bool Memory::Impl::hostViewReady() const {
    if (!device || !hasHostView())
        return true;
    if (memory().followsLaunches() && WaitingLaunch::any())
        return false;
    if (mirrored)
        return mirror().current();
    return padded ? !rowsBehind() : memory().freeForHost(true);
}

void Memory::Impl::waitForLaunches() const {
    if (const std::shared_ptr<Queue> queue = managerQueue.lock())
        implOf(*queue).waitUntilSubmitted();
}

void* Memory::Impl::hostView(bool given) {
    requireAlive();
    if (!hasHostView())
        return nullptr;
    LaunchCapture::refuse("a host view of memory");
    followLaunches();
    // Programs call this for each element, so calls are counted only if they wait or copy.
    if (mirrored) {
        if (void* const view = mirror().viewAtOnce(given))
            return view;
        const CallGate::Call call(gate);
        void* const view = given ? mirror().give() : mirror().view();
        throwFaults(*device);
        return view;
    }
    if (padded) {
        if (rows.empty() || rowsBehind()) {
            const CallGate::Call call(gate);
            rows.resize(bytes());
            pullRows();
        }
        return rows.data();
    }
    if (!memory().unusedSinceWait(given)) [[unlikely]] {
        const CallGate::Call call(gate);
        memory().waitForHost(given);
        throwFaults(*device);
    }
    if (!buffer)
        return image->mapped();
    if (given) // the program may write all of it
        vulkan::WrittenMemory::noteAll(*buffer);
    return buffer->mapped();
}

void Memory::Impl::upload(const void* data, uint64_t size, uint64_t offset) {
    if (buffer)
        device->transfer().upload(buffer, offset, data, size);
    else
        uploadTexels(device->transfer(), image, data);
}

void Memory::Impl::replaceView(const void* data) {
    std::vector<unsigned char> texels;
    if (addsChannel()) {
        texels = withFourthChannel(image->info(), data);
        data = texels.data();
    }
    if (mirrored)
        mirror().replace(data);
    else
        std::memcpy(hostView(true), data, bytes());
}

const void* Memory::Impl::packedView() {
    const void* const view = hostView(false);
    if (!addsChannel())
        return view;
    packed.resize(hostBytes());
    dropFourthChannel(image->info(), view, packed.data());
    return packed.data();
}

void Memory::Impl::initialise(const void* data) {
    addMirror();
    if (!data)
        return;
    hasContents = true;
    if (hasHostView())
        replaceView(data);
    else
        upload(data, hostBytes(), 0);
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
    const uint64_t writes = image->use().writes();
    device->transfer().download(image, rows.data());
    rowsWrites = writes;
    rowsInImage = rows;
}

void pushRows(const std::vector<std::shared_ptr<Memory>>& images) {
    for (const std::shared_ptr<Memory>& image : images)
        if (image->isInit())
            implOf(*image).pushRows();
}

void pullRows(const std::vector<std::shared_ptr<Memory>>& images) {
    for (const std::shared_ptr<Memory>& image : images)
        if (image->isInit() && implOf(*image).rowsBehind())
            implOf(*image).pullRows();
}

void Memory::Impl::enter(std::shared_ptr<MemoryAccount> account) {
    const std::shared_ptr<Queue> queue = managerQueue.lock();
    if (const auto checks = fixedChecks({}, queue.get()); checks && checks->uninitialised)
        followWrites();
    if (memoryType != MemoryTypes::eHost && (image || buffer->allocated()))
        entry.open(std::move(account), bytes(), {image != nullptr, false, dataType, count});
}

void Memory::Impl::release() {
    struct View {
        std::shared_ptr<vulkan::Device> device; // declared first, so destroyed last
        std::shared_ptr<vulkan::Resource> memory;
        std::vector<unsigned char> rows;
    };
    const bool hasMirror = mirrored && device;
    const std::shared_ptr<vulkan::Resource> used =
        hasMirror ? std::shared_ptr<vulkan::Resource>(mirror().bufferIfUsed()) : nullptr;
    if (keepsView && device && hasHostView())
        keptViews.push_back(
            std::make_shared<View>(View{device, mirrored ? used : primary(), std::move(rows)}));
    for (vulkan::Resource* resource : {static_cast<vulkan::Resource*>(buffer.get()),
                                       static_cast<vulkan::Resource*>(image.get()), used.get()})
        if (resource)
            resource->markDestroyed();
    if (hasMirror)
        mirror().release();
    buffer.reset();
    image.reset();
    entry.close();
    rows = {};
    rowsInImage = {};
    packed = {};
    count = 0;
    hostCount = 0;
    elementSize = 0;
    device.reset();
}

} // namespace kp
