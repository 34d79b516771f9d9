// SPDX-License-Identifier: Apache-2.0
#include "vulkan/TransferRules.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include <kompute/Error.hpp>

namespace kp::vulkan {
namespace {

constexpr uint64_t kKibi = 1u << 10;
constexpr uint64_t kMebi = 1u << 20;
constexpr uint64_t kSmallestChunk = 4 * kKibi;
constexpr uint64_t kSmallestStaging = 64 * kKibi;
constexpr uint32_t kMostThreads = 64;
constexpr uint32_t kMostChunks = 1024;

/// One name of the text, and where its value is. Exactly one pointer is set.
struct Name {
    const char* name;
    uint64_t TransferRules::* bytes = nullptr;
    uint32_t TransferRules::* number = nullptr;
    bool TransferRules::* flag = nullptr;
    uint64_t least = 0;
    uint64_t most = std::numeric_limits<uint64_t>::max();
};

const Name kNames[] = {
    {.name = "chunk", .bytes = &TransferRules::chunkBytes, .least = kSmallestChunk},
    {.name = "inflight", .number = &TransferRules::chunksInFlight, .least = 2, .most = kMostChunks},
    {.name = "threads", .number = &TransferRules::threads, .least = 1, .most = kMostThreads},
    {.name = "threaded", .bytes = &TransferRules::threadedBytes},
    {.name = "stream", .flag = &TransferRules::streamingStores, .most = 1},
    {.name = "staging", .bytes = &TransferRules::stagingBytes, .least = kSmallestStaging},
    {.name = "idle",
     .number = &TransferRules::idleMilliseconds,
     .most = std::numeric_limits<uint32_t>::max()},
    {.name = "mapped", .bytes = &TransferRules::mappedBytes},
    {.name = "copyqueue", .bytes = &TransferRules::copyQueueBytes},
    {.name = "piece", .bytes = &TransferRules::pieceBytes},
    {.name = "queues", .number = &TransferRules::pieceQueues, .least = 1, .most = 8},
};

std::string nameList() {
    std::string list;
    for (const Name& entry : kNames)
        list += (list.empty() ? "" : ", ") + std::string(entry.name);
    return list;
}

[[noreturn]] void refuse(std::string_view item, const std::string& reason) {
    throw InvalidArgument("transfer rule '" + std::string(item) + "': " + reason +
                          "; expected is a comma-separated list of name=value (chunk=4M,threads=8) "
                          "with the names " +
                          nameList());
}

uint64_t parseValue(std::string_view item, std::string_view text) {
    uint64_t value = 0;
    size_t digits = 0;
    for (; digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]));
         ++digits) {
        const auto digit = static_cast<uint64_t>(text[digits] - '0');
        if (value > (std::numeric_limits<uint64_t>::max() - digit) / 10)
            refuse(item, "the value is too large");
        value = value * 10 + digit;
    }
    std::string_view unit = text.substr(digits);
    if (digits == 0 || unit.size() > 1)
        refuse(item, "'" + std::string(text) + "' is no number");
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

void bringInLine(TransferRules& rules) {
    // Two chunks per direction keep the device and the host busy at the same time.
    rules.chunkBytes = std::min(rules.chunkBytes, rules.stagingBytes / 4);
    rules.chunkBytes = std::max(kSmallestChunk, rules.chunkBytes / kSmallestChunk * kSmallestChunk);
}

TransferRules discreteRules(bool wholeMemoryMapped, uint32_t hostThreads) {
    TransferRules rules;
    // One host thread copies 9.7 GB/s on an H200's host; 4 threads reach 21 to 27 and 8 threads 22
    // to 46, against 51 that the device copies. Half of the host's threads are left to the program.
    rules.threads = std::clamp(hostThreads / 2, 1u, 8u);
    // Waking a thread takes some 10 us, as long as one thread copies 100 KiB.
    rules.threadedBytes = kMebi;
    // A device copies 4 MiB in 80 us, twenty times what a submission costs the host.
    rules.chunkBytes = 4 * kMebi;
    // A thread that fetches needs one chunk to copy from and one under way.
    rules.chunksInFlight = 2 * rules.threads;
    // Written through the mapping, data need no submission (3 us) and no wait of the device for it.
    // Writing large data so is no faster than staging (24 to 31 GB/s with 4 threads, 29 with 8),
    // and reading the mapping reaches 0.03 GB/s, so it is never read.
    rules.mappedBytes = wholeMemoryMapped ? 256 * kKibi : 0;
    // A queue of its own lets large transfers run beside dispatches and the other direction. Small
    // ones take the compute queue: order between queues costs a semaphore.
    rules.copyQueueBytes = kMebi;
    return rules;
}

TransferRules integratedRules(bool wholeMemoryMapped, uint32_t hostThreads) {
    TransferRules rules = discreteRules(false, hostThreads);
    // One memory: a copy by the device would only read and write it once more.
    rules.mappedBytes = wholeMemoryMapped ? std::numeric_limits<uint64_t>::max() : 0;
    // Few threads saturate the memory that host and device share.
    rules.threads = std::clamp(hostThreads / 2, 1u, 4u);
    rules.chunksInFlight = 2 * rules.threads;
    rules.copyQueueBytes = std::numeric_limits<uint64_t>::max();
    return rules;
}

TransferRules softwareRules() {
    TransferRules rules;
    // Device memory is host memory: one memcpy, at 24 GB/s on a host where the driver's own copy
    // makes the same 24 GB/s and needs another one to or from staging. The driver's threads
    // compute on the same cores, so no further ones are taken from them.
    rules.mappedBytes = std::numeric_limits<uint64_t>::max();
    rules.threads = 1;
    rules.chunksInFlight = 2;
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
    default:
        return discreteRules(whole, hostThreads);
    }
}

TransferRules changedRules(TransferRules rules, std::string_view text) {
    while (!text.empty()) {
        const size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (item.empty())
            continue;
        const size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            refuse(item, "no value is given");
        const std::string_view name = item.substr(0, equals);
        const auto* entry = std::find_if(std::begin(kNames), std::end(kNames),
                                         [&](const Name& known) { return name == known.name; });
        if (entry == std::end(kNames))
            refuse(item, "there is no rule of this name");
        const uint64_t value = parseValue(item, item.substr(equals + 1));
        if (value < entry->least || value > entry->most)
            refuse(item, "the value must be at least " + std::to_string(entry->least) +
                             " and at most " + std::to_string(entry->most));
        if (entry->bytes)
            rules.*entry->bytes = value;
        else if (entry->number)
            rules.*entry->number = static_cast<uint32_t>(value);
        else
            rules.*entry->flag = value != 0;
    }
    bringInLine(rules);
    return rules;
}

std::string toString(const TransferRules& rules) {
    std::string text;
    for (const Name& entry : kNames) {
        const uint64_t value = entry.bytes    ? rules.*entry.bytes
                               : entry.number ? rules.*entry.number
                                              : uint64_t{rules.*entry.flag};
        text += (text.empty() ? "" : ",") + std::string(entry.name) + "=" + std::to_string(value);
    }
    return text;
}

} // namespace kp::vulkan
