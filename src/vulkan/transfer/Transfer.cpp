// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/Transfer.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>

#include <kompute/queue/WaitLimit.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/Image.hpp"
#include "vulkan/memory/WrittenMemory.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp::vulkan {
namespace {

/// Transfers up to this size use one small staging buffer.
constexpr uint64_t kSmallBytes = 256u << 10;
constexpr StagingRing::Limits kSmallLimits{4 * kSmallBytes, 4};
/// With less staging than this there are no small staging buffers.
constexpr uint64_t kMinStagingForSmall = 32 * kSmallBytes;
constexpr uint64_t kChunkStep = 64u << 10;
/// On an H200's host an upload of 4 MiB takes 182 us in chunks of this size, and 240 us in chunks
/// of a quarter of it.
constexpr uint64_t kMinChunkBytes = 1u << 20;

uint64_t roundUp(uint64_t value, uint64_t step) {
    return (value + step - 1) / step * step;
}

/// Returns memory that a function for both directions only reads.
unsigned char* hostBytes(const void* data) {
    return static_cast<unsigned char*>(const_cast<void*>(data));
}

/// Returns copies between packed rows and an image: of the rows that are left of a slice or layer,
/// of whole ones, and of the first rows of the last one.
std::vector<VkBufferImageCopy> regionsOf(const Image& image, uint64_t firstRow, uint64_t rows) {
    const ImageInfo& info = image.info();
    std::vector<VkBufferImageCopy> regions;
    for (uint64_t done = 0; done < rows;) {
        const uint64_t slice = (firstRow + done) / info.height;
        const uint64_t row = (firstRow + done) % info.height;
        const uint64_t left = rows - done;
        const auto slices =
            static_cast<uint32_t>(row == 0 ? std::max<uint64_t>(left / info.height, 1) : 1);
        const auto height = static_cast<uint32_t>(std::min(left, info.height - row));
        VkBufferImageCopy region{};
        region.bufferOffset = done * info.rowBytes();
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageOffset = {0, static_cast<int32_t>(row), 0};
        region.imageExtent = {info.width, height, 1};
        if (info.depth > 1) {
            region.imageOffset.z = static_cast<int32_t>(slice);
            region.imageExtent.depth = slices;
        } else {
            region.imageSubresource.baseArrayLayer = static_cast<uint32_t>(slice);
            region.imageSubresource.layerCount = slices;
        }
        regions.push_back(region);
        done += uint64_t{slices} * height;
    }
    return regions;
}

/// Copies within host memory, by several threads if there is enough to copy.
void copyOnHost(void* destination, const void* source, uint64_t bytes, const TransferRules& rules) {
    if (rules.threads == 1 || bytes < rules.threadedBytes) {
        copyMemory(destination, source, bytes, false);
        return;
    }
    const uint64_t block =
        std::max(roundUp(bytes / (uint64_t{rules.threads} * 4), kChunkStep), kSmallBytes);
    std::atomic<uint64_t> next{0};
    const auto blocks =
        static_cast<uint32_t>(std::min<uint64_t>(rules.threads, (bytes + block - 1) / block));
    CopyThreads::instance().run(blocks - 1, [&] {
        for (;;) {
            const uint64_t at = next.fetch_add(block, std::memory_order_relaxed);
            if (at >= bytes)
                return;
            copyMemory(static_cast<unsigned char*>(destination) + at,
                       static_cast<const unsigned char*>(source) + at, std::min(block, bytes - at),
                       rules.streamingStores);
        }
    });
}

/// Has the staging of a transfer freed later, also of one that failed.
struct StagingWatch {
    ~StagingWatch() { CopyThreads::instance().watch(); }
};

Queue* copyQueue(const Device& device, size_t index) {
    if (device.copyQueueCount() == 0)
        return nullptr;
    return &device.copyQueue(std::min(index, device.copyQueueCount() - 1));
}

/// For a transfer that cannot be given up. If the thread has a WaitLimit, waits within it for all
/// that the device would do before the transfer; then the limit no longer counts.
class Turn {
public:
    /// @param written, read  memory that the transfer accesses; may be null
    Turn(const Resource* written, const Resource* read, std::span<Queue* const> queues)
        : mNone((await(written, read, queues), UINT64_MAX)) {}

private:
    static void await(const Resource* written, const Resource* read,
                      std::span<Queue* const> queues) {
        if (WaitLimit::current() == UINT64_MAX)
            return;
        if (written)
            written->waitUntilFree(true);
        if (read)
            read->waitUntilFree(false);
        for (Queue* const queue : queues)
            if (const uint64_t last = queue->lastValue())
                queue->wait(last, UINT64_MAX, queue->device().defaultWaitMode());
    }

    WaitLimit mNone;
};

/// Copies between device memory and host memory that the device accesses directly, without staging.
class DirectTransfer {
public:
    /// Offsets are into the memory of the Buffer.
    struct Copy {
        std::shared_ptr<Buffer> source;
        uint64_t sourceOffset = 0;
        std::shared_ptr<Buffer> destination;
        uint64_t destinationOffset = 0;
        uint64_t bytes = 0;
        bool toHost = false;
    };

    ~DirectTransfer() {
        // Only an error leaves submissions behind. The caller may free the host memory after this.
        for (const TimelinePoint& done : mSubmitted)
            DeletionQueue::waitDespiteErrors(done);
    }

    /// Submits one copy. Several queues share it in pieces of @p pieceBytes (0: one piece).
    void submit(const Copy& copy, std::span<Queue* const> queues, uint64_t pieceBytes) {
        AccessList accesses;
        accesses.add(copy.source, false);
        accesses.add(copy.destination, true);
        const uint64_t piece = pieceBytes == 0 ? copy.bytes : pieceBytes;
        const auto pieces = static_cast<size_t>((copy.bytes + piece - 1) / piece);
        const size_t shares = std::min(queues.size(), pieces);
        if (shares <= 1) {
            submitShare(copy, *queues[0], piece, 0, 1, accesses, {});
            return;
        }
        // If all shares were recorded as uses of the memory, they would wait for one another. Only
        // the first is; the others wait for the same points as the first, and a final submission
        // after all of them is recorded again.
        std::vector<TimelinePoint> before = copy.destination->usesBefore(true);
        for (const TimelinePoint& point : copy.source->usesBefore(false))
            before.push_back(point);
        std::vector<TimelinePoint> ends;
        submitShare(copy, *queues[0], piece, 0, shares, accesses, {});
        for (size_t share = 1; share < shares; ++share)
            ends.push_back(submitShare(copy, *queues[share], piece, share, shares, {}, before));
        mSubmitted.reserve(mSubmitted.size() + 1);
        mSubmitted.push_back(submitOrdered(*queues[0], {}, accesses, ends));
    }

    /// Returns when all copies are done.
    void wait() {
        if (mSubmitted.empty())
            return;
        Device& device = mSubmitted.front().queue->device();
        for (const TimelinePoint& done : mSubmitted)
            done.queue->wait(done.value, UINT64_MAX, device.defaultWaitMode());
        mSubmitted.clear();
        device.deletionQueue().collect(); // so that the next transfer reuses the command buffers
    }

private:
    /// Submits every @p shares -th piece, from @p share on.
    TimelinePoint submitShare(const Copy& copy, Queue& queue, uint64_t pieceBytes, size_t share,
                              size_t shares, const AccessList& accesses,
                              std::span<const TimelinePoint> waits) {
        mSubmitted.reserve(mSubmitted.size() + 1);
        const auto record = [&](VkCommandBuffer commands, KeptObjects&) {
            recordTransferBegin(queue, commands);
            for (uint64_t at = share * pieceBytes; at < copy.bytes; at += shares * pieceBytes)
                recordCopyRange(commands, *copy.source, copy.sourceOffset + at, *copy.destination,
                                copy.destinationOffset + at, std::min(pieceBytes, copy.bytes - at));
            recordTransferEnd(queue, commands, copy.toHost);
        };
        mSubmitted.push_back(submitOnce(queue, accesses, waits, record));
        return mSubmitted.back();
    }

    std::vector<TimelinePoint> mSubmitted;
};

} // namespace

Transfer::Transfer(Device& device)
    : mDevice(device), mUp(device, copyQueue(device, 0)), mDown(device, copyQueue(device, 1)) {
    changeRules({});
    CopyThreads::instance().attach(*this);
}

Transfer::~Transfer() {
    CopyThreads::instance().detach(*this);
}

TransferRules Transfer::rules() const {
    const std::lock_guard lock(mMutex);
    return mRules;
}

void Transfer::setRules(const TransferRules& rules) {
    const bool writable = mapsWholeMemory(mDevice.physical()) &&
                          mDevice.allocator().offers(MemoryPlace::eDeviceWritable);
    const std::lock_guard lock(mMutex);
    mRules = rules;
    const auto threshold = [](uint64_t bytes) { return bytes == 0 ? UINT64_MAX : bytes; };
    mCopyKernelBytes.store(threshold(rules.copyKernelBytes), std::memory_order_relaxed);
    mFillKernelBytes.store(threshold(rules.fillKernelBytes), std::memory_order_relaxed);
    mMappedBytes.store(writable ? rules.mappedBytes : 0, std::memory_order_relaxed);
}

void Transfer::changeRules(std::string_view changes) {
    setRules(changedRules(
        defaultTransferRules(mDevice.physical(), std::thread::hardware_concurrency()), changes));
}

Queue& Transfer::queueFor(const Direction& direction, uint64_t bytes, bool mayUseCopyQueue,
                          const TransferRules& rules) const {
    if (direction.copyQueue && mayUseCopyQueue && bytes >= rules.copyQueueBytes)
        return *direction.copyQueue;
    return mDevice.recentQueue();
}

std::vector<Queue*> Transfer::directQueues(const Direction& direction, const Buffer& buffer,
                                           uint64_t bytes, const TransferRules& rules) const {
    Queue& first = queueFor(direction, bytes, !buffer.wrapped(), rules);
    std::vector<Queue*> queues{&first};
    if (&first == direction.copyQueue)
        for (size_t i = 0; i < mDevice.copyQueueCount() && queues.size() < rules.pieceQueues; ++i)
            if (&mDevice.copyQueue(i) != &first)
                queues.push_back(&mDevice.copyQueue(i));
    return queues;
}

StagedTransfer::Plan Transfer::plan(Direction& direction, uint64_t bytes, uint64_t granularity,
                                    bool mayUseCopyQueue, const TransferRules& rules) const {
    StagedTransfer::Plan plan;
    plan.queue = &queueFor(direction, bytes, mayUseCopyQueue, rules);
    plan.bytes = bytes;
    const bool smallOnes = rules.stagingBytes >= kMinStagingForSmall;
    if (bytes <= kSmallBytes && smallOnes) {
        plan.ring = &direction.small;
        plan.limits = kSmallLimits;
        plan.stagingBytes = kSmallBytes;
        plan.chunkBytes = bytes;
        return plan;
    }
    plan.ring = &direction.large;
    plan.limits = {rules.stagingBytesEach() - (smallOnes ? kSmallLimits.bytes : 0),
                   rules.chunksInFlight};
    plan.stagingBytes = rules.chunkBytes;
    plan.threads = bytes >= rules.threadedBytes ? rules.threads : 1;
    plan.streaming = rules.streamingStores;
    // At least two chunks per thread, so that no thread runs out of work early, but not more, since
    // each chunk is a submission.
    const uint64_t share = roundUp(bytes / (uint64_t{plan.threads} * 2) + 1, kChunkStep);
    const uint64_t minBytes = bytes < 2 * kMinChunkBytes ? kSmallBytes : kMinChunkBytes;
    plan.chunkBytes = std::min(rules.chunkBytes, std::max(share, minBytes));
    plan.chunkBytes = std::max(granularity, plan.chunkBytes / granularity * granularity);
    return plan;
}

void Transfer::copyBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                          unsigned char* host, uint64_t bytes, bool toHost) {
    const TransferRules rules = this->rules();
    Direction& direction = toHost ? mDown : mUp;
    DirectTransfer direct;
    for (uint64_t at = 0; at < bytes;) {
        const HostRanges::Part part = mHostRanges.find(host + at, bytes - at);
        if (part.buffer) {
            DirectTransfer::Copy copy{part.buffer, part.offset, buffer, offset + at, part.bytes};
            if (toHost)
                copy = {buffer, offset + at, part.buffer, part.offset, part.bytes, true};
            const std::vector<Queue*> queues = directQueues(direction, *buffer, part.bytes, rules);
            const Turn turn(copy.destination.get(), copy.source.get(), queues);
            direct.submit(copy, queues, rules.pieceBytes);
        } else {
            const StagedTransfer::Record record = [&](VkCommandBuffer commands, VkBuffer staging,
                                                      uint64_t from, uint64_t count) {
                VkBuffer source = staging;
                VkBuffer destination = buffer->handle();
                VkBufferCopy region{0, buffer->offset() + offset + at + from, count};
                if (toHost) {
                    std::swap(source, destination);
                    std::swap(region.srcOffset, region.dstOffset);
                }
                mDevice.vk().vkCmdCopyBuffer(commands, source, destination, 1, &region);
            };
            const StagingWatch watch;
            const auto staged = plan(direction, part.bytes, 1, !buffer->wrapped(), rules);
            std::optional<Turn> turn;
            if (staged.ring == &direction.large)
                turn.emplace(buffer.get(), nullptr, std::span(&staged.queue, 1));
            StagedTransfer(staged, record).run(buffer, host + at, toHost);
        }
        at += part.bytes;
    }
    direct.wait();
}

void Transfer::upload(const std::shared_ptr<Buffer>& buffer, uint64_t offset, const void* data,
                      uint64_t bytes) {
    if (bytes == 0)
        return;
    mDevice.requireAlive();
    WrittenMemory::note(*buffer, offset, bytes);
    const TransferRules rules = this->rules();
    if (void* const mapped = buffer->hostWritable()) {
        // For shared memory the wait is worthwhile. Otherwise the device copies later, and no one
        // waits.
        bool free = buffer->idle();
        if (!free && buffer->hostReadable()) {
            buffer->waitUntilFree(true);
            free = true;
        }
        if (free) {
            copyOnHost(static_cast<unsigned char*>(mapped) + offset, data, bytes, rules);
            return;
        }
    }
    copyBuffer(buffer, offset, hostBytes(data), bytes, false);
    // A host application's submissions are not ordered after ours.
    if (mDevice.wrapped() || buffer->wrapped())
        buffer->waitUntilFree(false);
}

void Transfer::download(const std::shared_ptr<Buffer>& buffer, uint64_t offset, void* data,
                        uint64_t bytes) {
    if (bytes == 0)
        return;
    mDevice.requireAlive();
    const TransferRules rules = this->rules();
    if (buffer->hostReadable()) {
        buffer->waitUntilFree(false);
        copyOnHost(data, static_cast<const unsigned char*>(buffer->hostWritable()) + offset, bytes,
                   rules);
        return;
    }
    copyBuffer(buffer, offset, static_cast<unsigned char*>(data), bytes, true);
}

void Transfer::download(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                        const std::shared_ptr<Buffer>& hostBuffer, uint64_t bytes) {
    if (bytes == 0)
        return;
    mDevice.requireAlive();
    if (buffer->hostReadable()) {
        hostBuffer->waitUntilFree(true);
        download(buffer, offset, hostBuffer->mapped(), bytes);
        return;
    }
    const TransferRules rules = this->rules();
    const std::vector<Queue*> queues = directQueues(mDown, *buffer, bytes, rules);
    const Turn turn(hostBuffer.get(), buffer.get(), queues);
    DirectTransfer direct;
    direct.submit({buffer, offset, hostBuffer, 0, bytes, true}, queues, rules.pieceBytes);
    direct.wait();
}

void Transfer::upload(const std::shared_ptr<Image>& image, const void* data) {
    copyImage(image, hostBytes(data), false);
    if (mDevice.wrapped() && !image->mapped())
        image->waitUntilFree(false);
}

void Transfer::download(const std::shared_ptr<Image>& image, void* data) {
    copyImage(image, static_cast<unsigned char*>(data), true);
}

void Transfer::copyImage(const std::shared_ptr<Image>& image, unsigned char* host, bool toHost) {
    mDevice.requireAlive();
    const uint64_t rowBytes = image->info().rowBytes();
    const uint64_t rows = image->info().rows();
    if (auto* mapped = static_cast<unsigned char*>(image->mapped())) {
        image->waitUntilFree(!toHost);
        for (uint64_t row = 0; row < rows; ++row) {
            unsigned char* texels = mapped + image->offsetOfRow(row);
            unsigned char* bytes = host + row * rowBytes;
            std::memcpy(toHost ? bytes : texels, toHost ? texels : bytes, rowBytes);
        }
        return;
    }
    const StagedTransfer::Record record = [&](VkCommandBuffer commands, VkBuffer staging,
                                              uint64_t at, uint64_t count) {
        const auto regions = regionsOf(*image, at / rowBytes, count / rowBytes);
        const auto regionCount = static_cast<uint32_t>(regions.size());
        if (toHost)
            mDevice.vk().vkCmdCopyImageToBuffer(commands, image->handle(), VK_IMAGE_LAYOUT_GENERAL,
                                                staging, regionCount, regions.data());
        else
            mDevice.vk().vkCmdCopyBufferToImage(commands, staging, image->handle(),
                                                VK_IMAGE_LAYOUT_GENERAL, regionCount,
                                                regions.data());
    };
    const StagingWatch watch;
    Direction& direction = toHost ? mDown : mUp;
    const auto staged = plan(direction, rowBytes * rows, rowBytes, false, rules());
    std::optional<Turn> turn;
    if (staged.ring == &direction.large)
        turn.emplace(image.get(), nullptr, std::span(&staged.queue, 1));
    StagedTransfer(staged, record).run(image, host, toHost);
}

uint64_t Transfer::trim(std::chrono::milliseconds unused) {
    uint64_t left = 0;
    for (Direction* direction : {&mUp, &mDown})
        left += direction->small.trim(unused) + direction->large.trim(unused);
    return left;
}

bool Transfer::freeIdle() noexcept {
    try {
        return trim(std::chrono::milliseconds(rules().idleMilliseconds)) != 0;
    } catch (...) { // the next call may succeed
        return true;
    }
}

uint64_t Transfer::stagingBytes() const {
    uint64_t bytes = 0;
    for (const Direction* direction : {&mUp, &mDown})
        bytes += direction->small.bytes() + direction->large.bytes();
    return bytes;
}

} // namespace kp::vulkan
