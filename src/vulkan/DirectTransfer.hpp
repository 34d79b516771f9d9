// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vulkan/Buffer.hpp"
#include "vulkan/CommandBufferPool.hpp"

namespace kp::vulkan {

class AccessList;
class Queue;

/// Copies between device memory and host memory that the device reaches, by the device alone.
class DirectTransfer {
public:
    struct Copy {
        std::shared_ptr<Buffer> source;
        uint64_t sourceOffset = 0; ///< in the memory that the Buffer stands for
        std::shared_ptr<Buffer> destination;
        uint64_t destinationOffset = 0;
        uint64_t bytes = 0;
        bool toHost = false;
    };

    explicit DirectTransfer(Device& device) : mDevice(device) {}
    /// Waits for what was submitted, unless wait() has, whatever errors say.
    ~DirectTransfer();
    DirectTransfer(const DirectTransfer&) = delete;
    DirectTransfer& operator=(const DirectTransfer&) = delete;

    /// Submits one copy. Several queues share it in pieces of @p pieceBytes (0: one piece).
    void submit(const Copy& copy, std::span<Queue* const> queues, uint64_t pieceBytes);
    /// Returns when all copies are done.
    void wait();

private:
    struct Submitted {
        CommandBuffer commands;
        TimelinePoint done;
    };

    CommandBuffer record(const Copy& copy, Queue& queue, uint64_t pieceBytes, size_t share,
                         size_t shares);
    TimelinePoint send(Queue& queue, CommandBuffer commands, const AccessList& accesses,
                       std::span<const TimelinePoint> waits);

    Device& mDevice;
    std::vector<Submitted> mSubmitted;
};

} // namespace kp::vulkan
