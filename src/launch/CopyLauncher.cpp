// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/CopyLauncher.hpp>

#include <algorithm>
#include <utility>

#include <kompute/operations/OpCopy.hpp>

#include "core/image/ImageChannels.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/memory/ScalarTypes.hpp"
#include "core/queue/QueueImpl.hpp"
#include "launch/LauncherImpl.hpp"
#include "operations/OpCopyRange.hpp"
#include "operations/OpFillRange.hpp"
#include "vulkan/queue/Submission.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

void requireUsableEnd(const std::string& launcher, const CopyEnd& end, const char* what) {
    if (end.onDevice() ? !end.memory()->isInit() : !end.host())
        launch::throwFor(launcher, "the {} {}", what, end.onDevice() ? "was destroyed" : "is null");
}

uint64_t bytesAfter(const std::string& launcher, const CopyEnd& end, uint64_t offset,
                    const char* what) {
    if (offset > end.bytes())
        launch::throwFor(launcher, "the {} offset {} is past its {} bytes", what, offset,
                         end.bytes());
    return end.bytes() - offset;
}

uint64_t copyBytes(const std::string& launcher, const CopyEnd& source, const CopyEnd& destination,
                   const CopyRange& range) {
    const uint64_t from = bytesAfter(launcher, source, range.sourceOffset, "source");
    const uint64_t to = bytesAfter(launcher, destination, range.destinationOffset, "destination");
    const uint64_t bytes = range.byteCount ? *range.byteCount : std::min(from, to);
    if (bytes == 0)
        launch::throwFor(launcher, "a copy of 0 bytes was asked for");
    if (bytes > from || bytes > to)
        launch::throwFor(
            launcher, "a copy of {} bytes was asked for, but the {} has {} bytes after offset {}",
            bytes, bytes > from ? "source" : "destination", bytes > from ? from : to,
            bytes > from ? range.sourceOffset : range.destinationOffset);
    return bytes;
}

bool isImage(const CopyEnd& end) {
    return end.onDevice() && end.memory()->type() == Memory::Type::eImage;
}

const char* nounOf(const CopyEnd& end) {
    return end.onDevice() ? implOf(*end.memory()).noun() : "host";
}

void requireQueueDevice(const std::string& launcher, const Memory& memory, const Queue& queue) {
    const Memory::Impl& impl = implOf(memory);
    if (!impl.device)
        launch::throwFor(launcher, "the {} was destroyed", impl.noun());
    if (impl.device != implOf(queue).device)
        requireSameDevice(memory, *implOf(queue).device,
                          formatted("launcher '{}' on a queue", launcher).c_str());
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
    requireUsableEnd(name(), mSource, "source");
    requireUsableEnd(name(), mDestination, "destination");
    if (!mSource.onDevice() && !mDestination.onDevice())
        launch::throwFor(name(), "both ends are host memory; give a tensor or an image for one");
    mManagerQueue =
        implOf(*(mSource.onDevice() ? mSource : mDestination).memory()).managerQueue.lock();
    mBytes = copyBytes(name(), mSource, mDestination, range);
    const bool images = isImage(mSource) || isImage(mDestination);
    if (images && (range.sourceOffset != 0 || range.destinationOffset != 0 ||
                   mBytes != mSource.bytes() || mBytes != mDestination.bytes()))
        launch::throwFor(name(),
                         "images are copied whole, to and from the same number of bytes; the "
                         "source has {}, the destination {} bytes",
                         mSource.bytes(), mDestination.bytes());
    if (!mSource.onDevice() || !mDestination.onDevice())
        return;
    const std::shared_ptr<Memory>& from = mSource.memory();
    const std::shared_ptr<Memory>& to = mDestination.memory();
    requireSameDevice(*from, *implOf(*to).device, "a copy");
    const bool whole = mBytes == from->memorySize() && mBytes == to->memorySize() && from != to &&
                       from->dataType() == to->dataType() && from->size() == to->size();
    if (images && !whole)
        requireCopyable(*from, *to);
    if (whole) {
        mOperation = std::make_shared<OpCopy>(std::vector<std::shared_ptr<Memory>>{from, to});
        return;
    }
    if (overlap(*from, {mRange.sourceOffset, mBytes}, *to, {mRange.destinationOffset, mBytes}))
        launch::throwFor(name(),
                         "source and destination overlap in {}: {} bytes from offset {} to {}",
                         from == to ? "one tensor" : "the memory that two tensors view", mBytes,
                         mRange.sourceOffset, mRange.destinationOffset);
    mOperation = std::make_shared<OpCopyRange>(from, mRange.sourceOffset, to,
                                               mRange.destinationOffset, mBytes);
}

CopyLauncher::~CopyLauncher() = default;

std::optional<Event> CopyLauncher::operator()(const LaunchOptions& options) {
    return runSteps(launch::queueFor(*this, options, mDefaultQueue), options);
}

void CopyLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    const bool toDevice = mDestination.onDevice();
    for (const CopyEnd* end : {&mSource, &mDestination})
        if (end->onDevice())
            requireQueueDevice(name(), *end->memory(), context.queue);
    // A tensor that was rebuilt may have become smaller.
    copyBytes(name(), mSource, mDestination,
              {mRange.sourceOffset, mRange.destinationOffset, mBytes});
    launch::Step& step = steps.add(*this);
    step.bytes = mBytes;
    context.trace(step, "enqueue_copy {}: {} to {}, {} bytes", name(), nounOf(mSource),
                  nounOf(mDestination), mBytes);
    step.operation = mOperation;
    if (mOperation)
        return;
    const CopyEnd& host = toDevice ? mSource : mDestination;
    const Memory::Impl& device = implOf(*(toDevice ? mDestination : mSource).memory());
    unsigned char* const memory = static_cast<unsigned char*>(host.host()) +
                                  (toDevice ? mRange.sourceOffset : mRange.destinationOffset);
    const uint64_t offset = toDevice ? mRange.destinationOffset : mRange.sourceOffset;
    step.host = [owner = device.device, buffer = device.buffer, image = device.image, memory,
                 offset, bytes = mBytes, toDevice, keptHost = host.keepAlive()] {
        vulkan::Transfer& transfer = owner->transfer();
        const vulkan::Resource& resource =
            buffer ? static_cast<const vulkan::Resource&>(*buffer) : *image;
        vulkan::MirrorUse use;
        use.replaces = toDevice && (image || bytes == buffer->size());
        vulkan::bringToDevice(resource, use);
        if (image && toDevice)
            uploadTexels(transfer, image, memory);
        else if (image)
            downloadTexels(transfer, image, memory);
        else if (toDevice)
            transfer.upload(buffer, offset, memory, bytes);
        else
            transfer.download(buffer, offset, memory, bytes);
        if (toDevice && resource.mirror())
            resource.mirror()->noteDeviceWrite();
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
    mManagerQueue = implOf(*mTensor).managerQueue.lock();
    const uint32_t element = mTensor->dataTypeMemorySize();
    using shader::ScalarType;
    const ScalarType expected = scalarTypeOf(mTensor->dataType());
    const bool isBool = expected == ScalarType::eBool && value.type() == expected;
    const bool fits = isBool || (value.size() == element &&
                                 (value.kind() == ArgumentValue::Kind::eBytes ||
                                  (value.kind() == ArgumentValue::Kind::eNumbers &&
                                   value.type() == expected && value.components() == 1)));
    if (!fits)
        launch::throwFor(name(),
                         "the tensor's elements are {} of {} bytes, but the value to fill with is "
                         "{}",
                         Memory::toString(mTensor->dataType()), element, value.describe());
    const uint64_t size = mTensor->memorySize();
    if (offset > size || (byteCount && *byteCount > size - offset))
        launch::throwFor(name(),
                         "a fill of {} bytes at offset {} does not fit a tensor of {} bytes",
                         byteCount ? formatted("{}", *byteCount) : "all", offset, size);
    mBytes = byteCount ? *byteCount : size - offset;
    if (mBytes == 0 || offset % element != 0 || mBytes % element != 0)
        launch::throwFor(name(),
                         "a fill covers whole elements of {} bytes, not {} bytes at offset {}",
                         element, mBytes, offset);
    // A bool is one byte in a tensor; the number's low byte comes first.
    const unsigned char boolean = isBool && value.data()[0] ? 1 : 0;
    mOperation = std::make_shared<OpFillRange>(mTensor, offset, mBytes,
                                               isBool ? &boolean : value.data(), element);
}

FillLauncher::~FillLauncher() = default;

std::optional<Event> FillLauncher::operator()(const LaunchOptions& options) {
    return runSteps(launch::queueFor(*this, options, mDefaultQueue), options);
}

void FillLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    requireQueueDevice(name(), *mTensor, context.queue);
    launch::Step& step = steps.add(*this);
    step.operation = mOperation;
    step.bytes = mBytes;
    context.trace(step, "enqueue_fill {}: {} bytes", name(), mBytes);
}

} // namespace kp
