// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vulkan/device/PhysicalDevice.hpp"

namespace kp::vulkan {

/// Every choice of the transfer engine, as numbers. defaultTransferRules() changes them for each
/// kind of device and cites the measurement behind each. Pure data.
struct TransferRules {
    /// Size of a staging buffer, and of the chunks of a transfer through staging.
    uint64_t chunkBytes = 2u << 20;
    /// Most staging buffers per direction.
    uint32_t chunksInFlight = 16;
    /// Host threads that copy for one transfer, including the calling one.
    uint32_t threads = 8;
    /// Transfers of at least this size are copied by several threads.
    uint64_t threadedBytes = 1u << 20;
    /// Host copies into staging bypass the caches (x86 only). Not where host and device share
    /// memory and caches, and written data are soon read.
    bool streamingStores = false;
    /// Most staging of the device, both directions together. The defaults use half of it at most.
    /// The rest is for wide images, of which a chunk holds at least a row, and for larger chunks.
    uint64_t stagingBytes = 256u << 20;
    /// Staging is freed when idle for this long. Creating it takes about 0.3 ms per MiB, which a
    /// program that transfers several times a second should not pay each time.
    uint32_t idleMilliseconds = 1000;
    /// Buffers up to this size get mapped device memory and are written through the mapping; 0:
    /// none. Only if the device maps all of its memory (mapsWholeMemory()).
    uint64_t mappedBytes = 0;
    /// Transfers of at least this size use a queue that only copies, if the device has one.
    uint64_t copyQueueBytes = UINT64_MAX;
    /// Copies between the device and pinned or imported host memory are cut into pieces of this
    /// size; 0: one piece. H200, 256 MiB: 5.5 ms up and 5.3 ms down in one piece, 5.4 and 5.3 ms in
    /// pieces of 16 MiB on both copy queues. But then the other direction has no queue of its own,
    /// and both at once reach 51 GB/s instead of 58.
    uint64_t pieceBytes = 0;
    /// Copy queues that share the pieces of such a copy.
    uint32_t pieceQueues = 1;
    /// A compute shader makes copies from tensor to tensor of at least this size, Vulkan's copy
    /// command the others; 0: the command makes all.
    uint64_t copyKernelBytes = 0;
    /// The same for fills. vkCmdFillBuffer is as fast as a shader (H200: 1.6 TB/s for 16 MiB, 4.0
    /// for 256 MiB, both).
    uint64_t fillKernelBytes = 0;

    bool operator==(const TransferRules&) const = default;

    /// Most staging of one direction.
    uint64_t stagingBytesEach() const { return stagingBytes / 2; }
};

/// Returns the rules for a kind of device. Pure.
/// @param hostThreads  hardware threads of the host
TransferRules defaultTransferRules(const PhysicalDevice& device, uint32_t hostThreads);

/// Returns true if the host can write (nearly) all device memory: on integrated GPUs, CPU drivers,
/// and discrete GPUs with a resizable BAR. A smaller window is left to the driver.
bool mapsWholeMemory(const PhysicalDevice& device);

/// Returns rules with changes as text: comma-separated `name=value`, sizes with K, M or G.
///   chunk inflight threads threaded stream staging idle mapped copyqueue piece queues
///   copykernel fillkernel
/// Inconsistent values are corrected (a chunk is at most a quarter of the staging).
/// @throws InvalidArgument for unknown names and values, listing the known ones
TransferRules changedRules(TransferRules rules, std::string_view text);

/// Returns the rules as such a text.
std::string toString(const TransferRules& rules);

} // namespace kp::vulkan
