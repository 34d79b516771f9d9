// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vulkan/queue/Timeline.hpp"

namespace kp::vulkan {

class AccessList;
class Buffer;

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

    DirectTransfer() = default;
    /// Waits for the submitted copies, unless wait() has, even after errors.
    ~DirectTransfer();
    DirectTransfer(const DirectTransfer&) = delete;
    DirectTransfer& operator=(const DirectTransfer&) = delete;

    /// Submits one copy. Several queues share it in pieces of @p pieceBytes (0: one piece).
    void submit(const Copy& copy, std::span<Queue* const> queues, uint64_t pieceBytes);
    /// Returns when all copies are done.
    void wait();

private:
    /// Submits every @p shares -th piece, from @p share on.
    TimelinePoint submitShare(const Copy& copy, Queue& queue, uint64_t pieceBytes, size_t share,
                              size_t shares, const AccessList& accesses,
                              std::span<const TimelinePoint> waits);

    std::vector<TimelinePoint> mSubmitted;
};

} // namespace kp::vulkan
