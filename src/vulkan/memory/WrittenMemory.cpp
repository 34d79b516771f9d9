// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/WrittenMemory.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/CommandTape.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::vulkan {
namespace {

constexpr uint32_t kWritten = 0x01010101; ///< of 4 bytes
/// Behind a shadow are 4 bytes that are 1: the source of what no fill command can write.
constexpr uint64_t kOnes = 4;

struct Followed {
    std::mutex mutex;
    std::unordered_map<const Buffer*, std::shared_ptr<Buffer>> shadows;
};

/// Never destroyed: threads may outlive static objects.
Followed& followed() {
    static auto& all = *new Followed;
    return all;
}

uint64_t wholeWords(uint64_t bytes) {
    return (bytes + 3) & ~uint64_t{3};
}

/// Returns true for commands that are recorded to be saved. Runs of a program note its writes.
bool becomesProgram(VkCommandBuffer commandBuffer) {
    return CommandTape::of(commandBuffer) != nullptr;
}

} // namespace

std::atomic<size_t> WrittenMemory::sFollowed{0};

void WrittenMemory::follow(const Buffer& buffer) {
    if (follows(buffer))
        return;
    const uint64_t bytes = wholeWords(buffer.size());
    std::shared_ptr<Buffer> shadow =
        Buffer::create(buffer.device(), bytes + kOnes, MemoryPlace::eHost);
    std::memset(shadow->mapped(), 0, bytes);
    std::memset(static_cast<unsigned char*>(shadow->mapped()) + bytes, 1, kOnes);
    const std::lock_guard lock(followed().mutex);
    if (followed().shadows.emplace(&buffer, std::move(shadow)).second)
        sFollowed.fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<Buffer> WrittenMemory::find(const Buffer& buffer) {
    const std::lock_guard lock(followed().mutex);
    const auto found = followed().shadows.find(&buffer);
    return found == followed().shadows.end() ? nullptr : found->second;
}

std::shared_ptr<Buffer> WrittenMemory::take(const Buffer& buffer) noexcept {
    const std::lock_guard lock(followed().mutex);
    const auto node = followed().shadows.extract(&buffer);
    if (node.empty())
        return nullptr;
    sFollowed.fetch_sub(1, std::memory_order_relaxed);
    return std::move(node.mapped());
}

void WrittenMemory::noteBytes(const Buffer& buffer, uint64_t offset, uint64_t bytes) {
    const std::shared_ptr<Buffer> shadow = find(buffer);
    if (!shadow || offset >= buffer.size())
        return;
    std::memset(static_cast<unsigned char*>(shadow->mapped()) + offset, 1,
                std::min(bytes, buffer.size() - offset));
}

void WrittenMemory::recordBytes(VkCommandBuffer commandBuffer, const Buffer& buffer,
                                uint64_t offset, uint64_t bytes) {
    const std::shared_ptr<Buffer> shadow = find(buffer);
    if (!shadow || offset >= buffer.size() || becomesProgram(commandBuffer))
        return;
    const uint64_t end = offset + std::min(bytes, buffer.size() - offset);
    const uint64_t begin = std::min(wholeWords(offset), end);
    const uint64_t last = std::max(begin, end / 4 * 4);
    if (begin < last)
        recordFillRange(commandBuffer, *shadow, begin, last - begin, kWritten);
    const uint64_t ones = wholeWords(buffer.size());
    std::vector<CopiedRange> edges;
    if (offset < begin)
        edges.push_back({ones, offset, begin - offset});
    if (last < end)
        edges.push_back({ones, last, end - last});
    kp::vulkan::recordCopies(commandBuffer, *shadow, *shadow, edges);
}

void WrittenMemory::recordDispatch(const DeviceHandle& device, VkCommandBuffer commandBuffer,
                                   std::span<const Range> ranges) {
    if (becomesProgram(commandBuffer))
        return;
    recordFullBarrier(device, commandBuffer);
    for (const Range& range : ranges)
        recordFill(commandBuffer, *range.buffer, range.offset, range.bytes);
    recordFullBarrier(device, commandBuffer);
}

void WrittenMemory::recordRanges(VkCommandBuffer commandBuffer, const Buffer& source,
                                 const Buffer& destination, std::span<const CopiedRange> ranges) {
    const std::shared_ptr<Buffer> to = find(destination);
    if (!to || becomesProgram(commandBuffer))
        return;
    if (const std::shared_ptr<Buffer> from = find(source))
        return kp::vulkan::recordCopies(commandBuffer, *from, *to, ranges);
    for (const CopiedRange& range : ranges)
        recordBytes(commandBuffer, destination, range.destination, range.bytes);
}

} // namespace kp::vulkan
