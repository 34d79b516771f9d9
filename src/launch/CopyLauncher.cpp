// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/CopyLauncher.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/operations/OpCopy.hpp>

#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"
#include "launch/RangeOperations.hpp"
#include "launch/Steps.hpp"
#include "vulkan/Transfer.hpp"

namespace kp {
namespace {

void requireUsable(const std::string& launcher, const CopyEnd& end, const char* what) {
    if (end.onDevice()) {
        if (!end.memory()->isInit())
            launch::throwFor(launcher, std::string("the ") + what + " was destroyed");
    } else if (!end.host()) {
        launch::throwFor(launcher, std::string("the ") + what + " is null");
    }
}

/// Bytes behind the offset.
uint64_t roomOf(const std::string& launcher, const CopyEnd& end, uint64_t offset,
                const char* what) {
    if (offset > end.bytes())
        launch::throwFor(launcher, std::string("the ") + what + " offset " +
                                       std::to_string(offset) + " is past its " +
                                       std::to_string(end.bytes()) + " bytes");
    return end.bytes() - offset;
}

uint64_t bytesOf(const std::string& launcher, const CopyEnd& source, const CopyEnd& destination,
                 const CopyRange& range) {
    const uint64_t from = roomOf(launcher, source, range.sourceOffset, "source");
    const uint64_t to = roomOf(launcher, destination, range.destinationOffset, "destination");
    const uint64_t bytes = range.byteCount ? *range.byteCount : std::min(from, to);
    if (bytes == 0)
        launch::throwFor(launcher, "a copy of 0 bytes was asked for");
    if (bytes > from || bytes > to)
        launch::throwFor(
            launcher,
            "a copy of " + std::to_string(bytes) + " bytes was asked for, but the " +
                (bytes > from ? "source" : "destination") + " has " +
                std::to_string(bytes > from ? from : to) + " bytes behind offset " +
                std::to_string(bytes > from ? range.sourceOffset : range.destinationOffset));
    return bytes;
}

bool isImage(const CopyEnd& end) {
    return end.onDevice() && end.memory()->type() == Memory::Type::eImage;
}

std::string nameOf(const CopyEnd& end) {
    return !end.onDevice() ? "host" : isImage(end) ? "image" : "tensor";
}

void requireDevice(const std::string& launcher, const Memory& memory, const Queue& queue) {
    const Memory::Impl& impl = memory.impl();
    if (!impl.device)
        launch::throwFor(launcher, "the " + std::string(impl.noun()) + " was destroyed");
    if (impl.device != queue.impl().device)
        launch::throwFor(launcher, "a " + std::string(impl.noun()) + " of device \"" +
                                       impl.device->name() +
                                       "\" cannot be used on a queue of device \"" +
                                       queue.deviceName() + "\" (or of other options)");
}

bool paddedRows(const CopyEnd& end) {
    return end.onDevice() && end.memory()->impl().padded;
}

} // namespace

uint64_t CopyEnd::bytes() const {
    return mMemory ? mMemory->memorySize() : mBytes;
}

CopyLauncher::CopyLauncher(std::string variable, CopyEnd source, CopyEnd destination,
                           CopyRange range, std::shared_ptr<Queue> defaultQueue,
                           std::shared_ptr<TimingSink> profiler)
    : Launcher(std::move(variable), std::move(profiler)), mSource(std::move(source)),
      mDestination(std::move(destination)), mRange(range), mDefaultQueue(std::move(defaultQueue)) {
    requireUsable(name(), mSource, "source");
    requireUsable(name(), mDestination, "destination");
    if (!mSource.onDevice() && !mDestination.onDevice())
        launch::throwFor(name(), "both ends are host memory; one has to be a tensor or an image");
    mBytes = bytesOf(name(), mSource, mDestination, range);
    const bool images = isImage(mSource) || isImage(mDestination);
    if (images && (range.sourceOffset != 0 || range.destinationOffset != 0 ||
                   mBytes != mSource.bytes() || mBytes != mDestination.bytes()))
        launch::throwFor(name(), "images are copied whole, to and from as many bytes; the source "
                                 "has " +
                                     std::to_string(mSource.bytes()) + ", the destination " +
                                     std::to_string(mDestination.bytes()) + " bytes");
    if (!mSource.onDevice() || !mDestination.onDevice())
        return;
    const std::shared_ptr<Memory>& from = mSource.memory();
    const std::shared_ptr<Memory>& to = mDestination.memory();
    requireSameDevice(*from, *to->impl().device, "a copy");
    const bool whole = mBytes == from->memorySize() && mBytes == to->memorySize() && from != to &&
                       from->dataType() == to->dataType() && from->size() == to->size();
    if (images && !whole)
        requireCopyable(*from, *to);
    if (whole) {
        mOperation = std::make_shared<OpCopy>(std::vector<std::shared_ptr<Memory>>{from, to});
        return;
    }
    const uint64_t distance = mRange.sourceOffset < mRange.destinationOffset
                                  ? mRange.destinationOffset - mRange.sourceOffset
                                  : mRange.sourceOffset - mRange.destinationOffset;
    if (from == to && distance < mBytes)
        launch::throwFor(name(),
                         "source and destination overlap in one tensor: " + std::to_string(mBytes) +
                             " bytes from offset " + std::to_string(mRange.sourceOffset) + " to " +
                             std::to_string(mRange.destinationOffset));
    mOperation = std::make_shared<OpCopyRange>(from, mRange.sourceOffset, to,
                                               mRange.destinationOffset, mBytes);
}

CopyLauncher::~CopyLauncher() = default;

std::optional<Event> CopyLauncher::operator()(const LaunchOptions& options) {
    const std::shared_ptr<Queue>& queue = launch::chosenQueue(name(), options, mDefaultQueue);
    launch::requireKnownParameters(name(), options.parameters, {});
    return runSteps(queue, options);
}

void CopyLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    const bool toDevice = mDestination.onDevice();
    for (const CopyEnd* end : {&mSource, &mDestination})
        if (end->onDevice())
            requireDevice(name(), *end->memory(), context.queue);
    // A tensor that was rebuilt may have become smaller.
    bytesOf(name(), mSource, mDestination, {mRange.sourceOffset, mRange.destinationOffset, mBytes});
    launch::Step& step = steps.add(*this);
    step.bytes = mBytes;
    if (context.tracing)
        step.message = "enqueue_copy " + name() + ": " + nameOf(mSource) + " to " +
                       nameOf(mDestination) + ", " + std::to_string(mBytes) + " bytes";
    if (toDevice)
        step.changed = mDestination.memory();
    step.padded = paddedRows(mSource) || paddedRows(mDestination);
    step.operation = mOperation;
    if (mOperation)
        return;
    const CopyEnd& host = toDevice ? mSource : mDestination;
    const Memory::Impl& device = (toDevice ? mDestination : mSource).memory()->impl();
    unsigned char* const memory = static_cast<unsigned char*>(host.host()) +
                                  (toDevice ? mRange.sourceOffset : mRange.destinationOffset);
    const uint64_t offset = toDevice ? mRange.destinationOffset : mRange.sourceOffset;
    step.host = [owner = device.device, buffer = device.buffer, image = device.image, memory,
                 offset, bytes = mBytes, toDevice, keptHost = host.keepAlive()] {
        vulkan::Transfer& transfer = owner->transfer();
        if (image && toDevice)
            transfer.upload(image, memory);
        else if (image)
            transfer.download(image, memory);
        else if (toDevice)
            transfer.upload(buffer, offset, memory, bytes);
        else
            transfer.download(buffer, offset, memory, bytes);
    };
}

FillLauncher::FillLauncher(std::string variable, std::shared_ptr<Tensor> tensor,
                           ArgumentValue value, uint64_t offset, std::optional<uint64_t> byteCount,
                           std::shared_ptr<Queue> defaultQueue,
                           std::shared_ptr<TimingSink> profiler)
    : Launcher(std::move(variable), std::move(profiler)), mTensor(std::move(tensor)),
      mDefaultQueue(std::move(defaultQueue)) {
    if (!mTensor || !mTensor->isInit())
        launch::throwFor(name(), "the tensor to fill is null or was destroyed");
    const uint32_t element = mTensor->dataTypeMemorySize();
    using shader::ScalarType;
    static constexpr ScalarType kTypes[] = {
        ScalarType::eBool,    ScalarType::eInt32,  ScalarType::eUint32, ScalarType::eFloat32,
        ScalarType::eFloat64, ScalarType::eStruct, ScalarType::eInt16,  ScalarType::eUint16,
        ScalarType::eInt8,    ScalarType::eUint8,  ScalarType::eInt64,  ScalarType::eUint64,
        ScalarType::eFloat16, ScalarType::eStruct};
    const ScalarType expected = kTypes[static_cast<size_t>(mTensor->dataType())];
    const bool isBool = expected == ScalarType::eBool && value.type() == expected;
    const bool fits = isBool || (value.size() == element &&
                                 (value.kind() == ArgumentValue::Kind::eBytes ||
                                  (value.kind() == ArgumentValue::Kind::eNumbers &&
                                   value.type() == expected && value.components() == 1)));
    if (!fits)
        launch::throwFor(name(), "the tensor's elements are " +
                                     Memory::toString(mTensor->dataType()) + " of " +
                                     std::to_string(element) +
                                     " bytes, but the value to fill with "
                                     "is " +
                                     value.describe());
    const uint64_t size = mTensor->memorySize();
    if (offset > size || (byteCount && *byteCount > size - offset))
        launch::throwFor(name(), "a fill of " + (byteCount ? std::to_string(*byteCount) : "all") +
                                     " bytes at offset " + std::to_string(offset) +
                                     " does not fit a tensor of " + std::to_string(size) +
                                     " bytes");
    mBytes = byteCount ? *byteCount : size - offset;
    if (mBytes == 0 || offset % element != 0 || mBytes % element != 0)
        launch::throwFor(name(), "a fill covers whole elements of " + std::to_string(element) +
                                     " bytes, not " + std::to_string(mBytes) + " bytes at offset " +
                                     std::to_string(offset));
    // A bool is one byte in a tensor; the number's low byte comes first.
    const unsigned char boolean = isBool && value.data()[0] ? 1 : 0;
    mOperation = std::make_shared<OpFillRange>(mTensor, offset, mBytes,
                                               isBool ? &boolean : value.data(), element);
}

FillLauncher::~FillLauncher() = default;

std::optional<Event> FillLauncher::operator()(const LaunchOptions& options) {
    const std::shared_ptr<Queue>& queue = launch::chosenQueue(name(), options, mDefaultQueue);
    launch::requireKnownParameters(name(), options.parameters, {});
    return runSteps(queue, options);
}

void FillLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    requireDevice(name(), *mTensor, context.queue);
    launch::Step& step = steps.add(*this);
    step.operation = mOperation;
    step.bytes = mBytes;
    step.changed = mTensor;
    if (context.tracing)
        step.message = "enqueue_fill " + name() + ": " + std::to_string(mBytes) + " bytes";
}

} // namespace kp
