// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/TransferRules.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kKibi = 1u << 10;
constexpr uint64_t kMebi = 1u << 20;
constexpr uint64_t kMinChunk = 4 * kKibi;
constexpr uint64_t kMinStaging = 64 * kKibi;
constexpr uint32_t kMaxTransferThreads = 64;
constexpr uint32_t kMaxChunks = 1024;

/// A name in the text and the member that it sets. Exactly one pointer is set.
struct RuleName {
    const char* name;
    uint64_t TransferRules::*bytes = nullptr;
    uint32_t TransferRules::*number = nullptr;
    bool TransferRules::*flag = nullptr;
    uint64_t min = 0;
    uint64_t max = std::numeric_limits<uint64_t>::max();
};

const RuleName kRuleNames[] = {
    {.name = "chunk", .bytes = &TransferRules::chunkBytes, .min = kMinChunk},
    {.name = "inflight", .number = &TransferRules::chunksInFlight, .min = 2, .max = kMaxChunks},
    {.name = "threads", .number = &TransferRules::threads, .min = 1, .max = kMaxTransferThreads},
    {.name = "threaded", .bytes = &TransferRules::threadedBytes},
    {.name = "stream", .flag = &TransferRules::streamingStores, .max = 1},
    {.name = "staging", .bytes = &TransferRules::stagingBytes, .min = kMinStaging},
    {.name = "idle",
     .number = &TransferRules::idleMilliseconds,
     .max = std::numeric_limits<uint32_t>::max()},
    {.name = "mapped", .bytes = &TransferRules::mappedBytes},
    {.name = "copyqueue", .bytes = &TransferRules::copyQueueBytes},
    {.name = "piece", .bytes = &TransferRules::pieceBytes},
    {.name = "queues", .number = &TransferRules::pieceQueues, .min = 1, .max = 8},
    {.name = "copykernel", .bytes = &TransferRules::copyKernelBytes},
    {.name = "fillkernel", .bytes = &TransferRules::fillKernelBytes},
};

[[noreturn]] void refuse(std::string_view item, const std::string& reason) {
    std::vector<const char*> names;
    for (const RuleName& entry : kRuleNames)
        names.push_back(entry.name);
    fail<InvalidArgument>(
        "transfer rule '{}': {}; expected is a comma-separated list of name=value "
        "(chunk=4M,threads=8) with the names {}",
        item, reason, join(names));
}

uint64_t parseValue(std::string_view item, std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    if (error == std::errc::result_out_of_range)
        refuse(item, "the value is too large");
    if (error != std::errc() || unit.size() > 1)
        refuse(item, formatted("'{}' is not a number", text));
    if (unit.empty())
        return value;
    constexpr std::string_view kUnits = "KMG";
    const size_t power =
        kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
    if (power == std::string_view::npos)
        refuse(item, "the unit is K, M or G");
    const auto shift = static_cast<uint32_t>(10 * (power + 1));
    if (value > std::numeric_limits<uint64_t>::max() >> shift)
        refuse(item, "the value is too large");
    return value << shift;
}

TransferRules discreteRules(bool wholeMemoryMapped, uint32_t hostThreads) {
    TransferRules rules;
    // H200: one host thread copies 16.6 GB/s, the device 50. Up and down of 1 GiB in GB/s: 33 and
    // 47 with 4 threads, 45 and 46 with 8, 45 and 46 with 12. Half of the host's threads are left
    // to the program.
    rules.threads = std::clamp(hostThreads / 2, 1u, 8u);
    // H200, upload: 4 MiB take 216 us with 8 threads and 285 us with one; 1 MiB takes 74 and 71 us.
    rules.threadedBytes = 4 * kMebi;
    // H200, 1 GiB up and down in GB/s: 36 and 28 with chunks of 1 MiB, 42 and 42 with 2, 45 and 46
    // with 4, 46 and 47 with 8, which would need 256 MiB of staging.
    rules.chunkBytes = 4 * kMebi;
    // H200, upload with streaming stores: 4 MiB in 229 us, 16 MiB in 0.75 ms, 64 MiB in 1.8 ms;
    // without: 408 us, 1.3 ms, 2.1 ms. Larger uploads, and downloads, take the same time.
    rules.streamingStores = true;
    // Each downloading thread needs one chunk to copy from and one in flight.
    rules.chunksInFlight = 2 * rules.threads;
    // Writing through the mapping needs no submission (2 to 3 us on an H200). Beyond this size the
    // copy itself takes ten times as long (27 us), and writing large data is not faster than
    // staging (24 to 31 GB/s with 4 threads, 29 with 8). The mapping is never read: that reaches
    // 0.03 GB/s.
    rules.mappedBytes = wholeMemoryMapped ? 256 * kKibi : 0;
    // On a copy queue large transfers overlap with dispatches (H200: 5.4 ms for a kernel and an
    // upload of 5.4 ms each; on two compute queues 10.5) and with the other direction (58 GB/s for
    // both; on one queue 51). Alone it is a little slower (50 and 51 GB/s up and down; the compute
    // queue 51 and 53). 1 MiB takes 34 us; on the compute queue 38.
    rules.copyQueueBytes = kMebi;
    return rules;
}

TransferRules integratedRules(bool wholeMemoryMapped, uint32_t hostThreads) {
    TransferRules rules = discreteRules(false, hostThreads);
    // The memory is shared, so a copy by the device would only read and write it once more.
    rules.mappedBytes = wholeMemoryMapped ? std::numeric_limits<uint64_t>::max() : 0;
    // A few threads saturate the shared memory. (No such device was measured.)
    rules.threads = std::clamp(hostThreads / 2, 1u, 4u);
    rules.chunksInFlight = 2 * rules.threads;
    rules.streamingStores = false;
    // Copies use the same memory as everything else, so overlapping gains nothing.
    rules.copyQueueBytes = std::numeric_limits<uint64_t>::max();
    return rules;
}

TransferRules softwareRules() {
    TransferRules rules;
    // Device memory is host memory, so one memcpy suffices: 24 GB/s on a host where the driver's
    // copy reaches the same and needs another one to or from staging. One thread, since the driver
    // computes on the same cores.
    rules.mappedBytes = std::numeric_limits<uint64_t>::max();
    rules.threads = 1;
    // Only images use staging: one buffer to fill and one to copy from.
    rules.chunksInFlight = 2;
    // These devices have one queue.
    rules.copyQueueBytes = std::numeric_limits<uint64_t>::max();
    return rules;
}

} // namespace

bool mapsWholeMemory(const PhysicalDevice& device) {
    constexpr VkMemoryPropertyFlags kWritable = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                                VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkPhysicalDeviceMemoryProperties& memory = device.memory;
    uint64_t largest = 0;
    uint64_t mapped = 0;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const VkMemoryType& type = memory.memoryTypes[i];
        const uint64_t heap = memory.memoryHeaps[type.heapIndex].size;
        if (type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
            largest = std::max(largest, heap);
        if ((type.propertyFlags & kWritable) == kWritable)
            mapped = std::max(mapped, heap);
    }
    return mapped != 0 && mapped >= largest / 4 * 3;
}

TransferRules defaultTransferRules(const PhysicalDevice& device, uint32_t hostThreads) {
    const bool whole = mapsWholeMemory(device);
    switch (device.properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return softwareRules();
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return integratedRules(whole, hostThreads);
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: {
        TransferRules rules = discreteRules(whole, hostThreads);
        // H200, TB/s read and written by vkCmdCopyBuffer and by the shader: 64 KiB 0.023 and 0.018,
        // 1 MiB 0.23 and 0.28, 4 MiB 0.50 and 1.0, 16 MiB 0.73 and 2.9, 256 MiB 0.84 and 4.1.
        if (device.isNvidia())
            rules.copyKernelBytes = kMebi;
        return rules;
    }
    default:
        return discreteRules(whole, hostThreads);
    }
}

TransferRules changedRules(TransferRules rules, std::string_view text) {
    for (const std::string_view item : listed(text)) {
        const size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            refuse(item, "the value is missing");
        const std::string_view name = item.substr(0, equals);
        const auto* entry = std::find_if(std::begin(kRuleNames), std::end(kRuleNames),
                                         [&](const RuleName& known) { return name == known.name; });
        if (entry == std::end(kRuleNames))
            refuse(item, "there is no rule of this name");
        const uint64_t value = parseValue(item, item.substr(equals + 1));
        if (value < entry->min || value > entry->max)
            refuse(item, formatted("the value must be at least {} and at most {}", entry->min,
                                   entry->max));
        if (entry->bytes)
            rules.*entry->bytes = value;
        else if (entry->number)
            rules.*entry->number = static_cast<uint32_t>(value);
        else
            rules.*entry->flag = value != 0;
    }
    // Two chunks per direction keep the device and the host busy at the same time.
    rules.chunkBytes = std::min(rules.chunkBytes, rules.stagingBytes / 4);
    rules.chunkBytes = std::max(kMinChunk, rules.chunkBytes / kMinChunk * kMinChunk);
    return rules;
}

std::string toString(const TransferRules& rules) {
    std::vector<std::string> items;
    for (const RuleName& entry : kRuleNames) {
        const uint64_t value = entry.bytes    ? rules.*entry.bytes
                               : entry.number ? rules.*entry.number
                                              : uint64_t{rules.*entry.flag};
        items.push_back(formatted("{}={}", entry.name, value));
    }
    return join(items, ",");
}

} // namespace kp::vulkan
