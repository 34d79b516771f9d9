// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Breadcrumbs.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::vulkan {
namespace {

constexpr size_t kMaxListed = 8; ///< operations of one trail in a message
constexpr uint64_t kBegun = 0;   ///< offsets in Trail::mProgress
constexpr uint64_t kFinished = sizeof(uint32_t);
constexpr uint64_t kProgressBytes = 2 * sizeof(uint32_t);

uint32_t wordAt(const Buffer& buffer, uint64_t offset) {
    auto* const words = static_cast<uint32_t*>(buffer.mapped());
    return std::atomic_ref<uint32_t>(words[offset / sizeof(uint32_t)]).load();
}

// A checkpoint is a pointer that the driver does not follow: the number of a trail, and how many of
// its operations have begun.

void* checkpointOf(uint32_t trail, uint32_t begun) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(uint64_t{trail} << 32 | begun));
}

struct Checkpoint {
    uint32_t trail;
    uint32_t begun;
};

Checkpoint checkpointAt(const void* marker) {
    const auto bits = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(marker));
    return {static_cast<uint32_t>(bits >> 32), static_cast<uint32_t>(bits)};
}

/// The last checkpoints that a queue has passed, and that all work before has ended at.
struct QueueCheckpoints {
    std::optional<Checkpoint> begun;
    std::optional<Checkpoint> finished;
};

QueueCheckpoints readCheckpoints(const Device& device, VkQueue queue) {
    uint32_t count = 0;
    device.vk().vkGetQueueCheckpointDataNV(queue, &count, nullptr);
    std::vector<VkCheckpointDataNV> data(count, {VK_STRUCTURE_TYPE_CHECKPOINT_DATA_NV});
    device.vk().vkGetQueueCheckpointDataNV(queue, &count, data.data());
    data.resize(count);
    QueueCheckpoints read;
    for (const VkCheckpointDataNV& each : data)
        (each.stage == VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT ? read.finished : read.begun) =
            checkpointAt(each.pCheckpointMarker);
    return read;
}

} // namespace

Trail::Trail(Breadcrumbs& breadcrumbs, std::string owner)
    : mBreadcrumbs(breadcrumbs), mOwner(std::move(owner)) {
    if (breadcrumbs.mKind != BreadcrumbKind::eCheckpoints)
        mProgress = Buffer::create(breadcrumbs.mDevice, kProgressBytes, MemoryPlace::eHost);
    const std::lock_guard lock(breadcrumbs.mMutex);
    mNumber = ++breadcrumbs.mNumbers;
    breadcrumbs.mTrails.push_back(this);
}

Trail::~Trail() {
    const std::lock_guard lock(mBreadcrumbs.mMutex);
    std::erase(mBreadcrumbs.mTrails, this);
}

void Trail::begin() {
    const std::lock_guard lock(mBreadcrumbs.mMutex);
    mOperations.clear();
    if (!mProgress) {
        mNumber = ++mBreadcrumbs.mNumbers; // what the driver says of the old one is not ours
        return;
    }
    auto* const words = static_cast<uint32_t*>(mProgress->mapped());
    words[0] = words[1] = 0;
}

void Trail::rename(std::string owner) {
    const std::lock_guard lock(mBreadcrumbs.mMutex);
    mOwner = std::move(owner);
}

void Trail::add(VkCommandBuffer commandBuffer, std::string operation) {
    uint32_t number = 0;
    {
        const std::lock_guard lock(mBreadcrumbs.mMutex);
        mOperations.push_back(std::move(operation));
        number = static_cast<uint32_t>(mOperations.size());
    }
    write(commandBuffer, number, number - 1);
}

void Trail::end(VkCommandBuffer commandBuffer) {
    const auto count = static_cast<uint32_t>(mOperations.size());
    if (count > 0)
        write(commandBuffer, count + 1, count);
}

void Trail::write(VkCommandBuffer commandBuffer, uint32_t begun, uint32_t finished) {
    const Device& device = mBreadcrumbs.mDevice;
    const VolkDeviceTable& vk = device.vk();
    switch (mBreadcrumbs.mKind) {
    case BreadcrumbKind::eMarkers:
        vk.vkCmdWriteBufferMarkerAMD(commandBuffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                     mProgress->handle(), mProgress->offset() + kFinished,
                                     finished);
        vk.vkCmdWriteBufferMarkerAMD(commandBuffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                     mProgress->handle(), mProgress->offset() + kBegun, begun);
        return;
    case BreadcrumbKind::eCheckpoints:
        vk.vkCmdSetCheckpointNV(commandBuffer, checkpointOf(mNumber, begun));
        return;
    default: // a fill takes its turn only between barriers
        recordFullBarrier(device, commandBuffer);
        recordFillRange(commandBuffer, *mProgress, kBegun, sizeof(uint32_t), begun);
        recordFullBarrier(device, commandBuffer, true);
    }
}

Breadcrumbs::Breadcrumbs(Device& device, BreadcrumbKind kind) : mDevice(device), mKind(kind) {}

Breadcrumbs::Range Breadcrumbs::rangeOf(const Trail& trail) const {
    const uint32_t finished = wordAt(*trail.mProgress, kFinished); // first: both only grow
    const uint32_t begun = wordAt(*trail.mProgress, kBegun);
    if (mKind == BreadcrumbKind::eFills)
        return {std::max(begun, 1u), begun};
    // Of the previous submission, what has finished can be more than what has begun in this one.
    return {finished < begun ? finished + 1 : 1, begun};
}

void Breadcrumbs::describe(const Trail& trail, Range range, std::vector<std::string>& texts) const {
    const size_t count = trail.mOperations.size();
    if (range.last > count) // the last number says that the end was reached
        range.last = range.first > count ? 0 : static_cast<uint32_t>(count);
    for (uint32_t number = range.first; number <= range.last; ++number) {
        if (number - range.first == kMaxListed) {
            texts.push_back(formatted("and {} more of {}", range.last - number + 1, trail.mOwner));
            return;
        }
        texts.push_back(formatted("operation {} of {} of {} was under way: {}", number, count,
                                  trail.mOwner, trail.mOperations[number - 1]));
    }
}

void Breadcrumbs::describeCheckpoints(std::vector<std::string>& texts) const {
    if (!mDevice.lost())
        return;
    const auto trailOf = [&](const std::optional<Checkpoint>& checkpoint) -> const Trail* {
        if (!checkpoint)
            return nullptr;
        const auto found = std::ranges::find(mTrails, checkpoint->trail, &Trail::mNumber);
        return found == mTrails.end() ? nullptr : *found;
    };
    for (size_t i = 0; i < mDevice.queueCount(); ++i) {
        const auto [begun, finished] = readCheckpoints(mDevice, mDevice.queue(i).handle());
        const Trail* const first = trailOf(finished);
        const Trail* const last = trailOf(begun);
        const uint32_t from = first ? finished->begun : 1;
        if (first && first != last)
            describe(*first, {from, UINT32_MAX}, texts);
        if (last)
            describe(*last, {first == last ? from : 1, begun->begun}, texts);
    }
}

std::vector<std::string> Breadcrumbs::underWay() const {
    const std::lock_guard lock(mMutex);
    std::vector<std::string> texts;
    if (mKind == BreadcrumbKind::eCheckpoints)
        describeCheckpoints(texts);
    else
        for (const Trail* const trail : mTrails)
            describe(*trail, rangeOf(*trail), texts);
    return texts;
}

} // namespace kp::vulkan
