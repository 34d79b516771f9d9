// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kompute/group/Buffer.hpp>

#include "core/Internals.hpp"
#include "group/DeviceGroupImpl.hpp"

namespace kp {

/// The state behind a Buffer.
struct Buffer::Impl {
    /// Checks the shape and distributes the rows. Allocates no memory.
    Impl(const DeviceGroup& group, std::vector<uint64_t> shape, const ElementType& type,
         const BufferOptions& options);

    const std::shared_ptr<DeviceGroup::Impl> group;
    const std::vector<uint64_t> shape;
    const ElementType type;
    const BufferPlacement placement;
    bool writable = true;
    bool alive = true;
    std::vector<std::shared_ptr<Tensor>> copies; ///< null for a shard without rows
    std::vector<uint32_t> queueOfCopy;           ///< whose order accesses to the copy keep
    std::vector<uint64_t> rows;                  ///< of each copy
    std::vector<uint64_t> firstRow;              ///< of each copy, in the whole buffer

    bool sharded() const { return placement == BufferPlacement::eSharded; }
    uint64_t elements() const;
    uint64_t rowBytes() const;
    uint64_t wholeBytes() const { return elements() * type.bytes(); }
    uint64_t bytesOf(uint32_t copy) const { return rows[copy] * rowBytes(); }
    uint64_t wholeOffset(uint32_t copy) const { return firstRow[copy] * rowBytes(); }
    uint32_t copyCount() const { return static_cast<uint32_t>(rows.size()); }
    const std::shared_ptr<Queue>& queue(uint32_t copy) const {
        return group->queues[queueOfCopy[copy]];
    }
    size_t deviceOf(uint32_t copy) const { return group->deviceOfQueue[queueOfCopy[copy]]; }
    const std::shared_ptr<vulkan::Buffer>& memory(uint32_t copy) const;

    /// @throws InvalidArgument after destroy()
    void requireAlive() const;
    /// @throws InvalidArgument also if the buffer is read-only
    void requireWritable() const;
    /// Returns the copy that an index selects.
    /// @throws InvalidArgument if the group has no such queue
    uint32_t copyOf(uint32_t index) const;
    /// Copies the host's changes in a copy to the device.
    void bringToDevice(uint32_t copy) const;
    /// Notes that the device memory of a copy changes.
    void noteDeviceWrite(uint32_t copy) const;
    std::string describe() const; ///< "a buffer [4, 3] of float"
};

} // namespace kp
