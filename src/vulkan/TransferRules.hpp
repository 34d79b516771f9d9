// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vulkan/PhysicalDevice.hpp"

namespace kp::vulkan {

/// How data moves between host memory and a device, and within a device: every choice that the
/// transfer engine makes, as numbers. defaultTransferRules() is the one table of them, per kind of
/// device, with the measurement behind each; the rest of the engine only follows. Pure data.
struct TransferRules {
    /// Size of a staging buffer, and of the pieces that a transfer through staging is cut into.
    uint64_t chunkBytes = 2u << 20;
    /// Staging buffers that one direction may have.
    uint32_t chunksInFlight = 16;
    /// Host threads that copy for one transfer, the calling one among them.
    uint32_t threads = 8;
    /// Transfers from this size on are copied by several threads.
    uint64_t threadedBytes = 1u << 20;
    /// Host copies into staging bypass the caches (x86 only).
    bool streamingStores = false;
    /// All staging of the device together, both directions.
    uint64_t stagingBytes = 256u << 20;
    /// Staging that was not used for so long is freed.
    uint32_t idleMilliseconds = 1000;
    /// Buffers up to this size get device memory that is mapped, and are then written through the
    /// mapping. 0: none. Only where the device maps all of its memory (mapsWholeMemory()).
    uint64_t mappedBytes = 0;
    /// Transfers from this size on go by a queue that does nothing else, where the device has one.
    uint64_t copyQueueBytes = UINT64_MAX;
    /// Copies between the device and pinned or imported host memory are cut into pieces of this
    /// size; 0: one copy.
    uint64_t pieceBytes = 0;
    /// Copy queues that the pieces of one such copy are spread over.
    uint32_t pieceQueues = 1;
    /// Copies from tensor to tensor of this size and more are made by a compute shader, smaller
    /// ones by the driver's command; 0: all by the driver's command.
    uint64_t copyKernelBytes = 0;
    /// The same for fills.
    uint64_t fillKernelBytes = 0;

    bool operator==(const TransferRules&) const = default;

    /// Staging one direction may take.
    uint64_t stagingBytesEach() const { return stagingBytes / 2; }
};

/// The table. Pure: looks at nothing but its arguments.
/// @param hostThreads  hardware threads of the host
TransferRules defaultTransferRules(const PhysicalDevice& device, uint32_t hostThreads);

/// True where a kind of device memory that the host can write covers (nearly) all of the device's
/// memory: integrated GPUs, CPU drivers, and discrete ones with a resizable BAR. A small window
/// into the memory is left to the driver.
bool mapsWholeMemory(const PhysicalDevice& device);

/// Rules with changes as text: comma-separated `name=value`, sizes with K, M or G.
///   chunk inflight threads threaded stream staging idle mapped copyqueue piece queues
///   copykernel fillkernel
/// Values that do not go together are brought in line (a chunk is at most a quarter of the
/// staging).
/// @throws InvalidArgument for names and values that do not exist, saying which do
TransferRules changedRules(TransferRules rules, std::string_view text);

/// The rules as such a text.
std::string toString(const TransferRules& rules);

} // namespace kp::vulkan
