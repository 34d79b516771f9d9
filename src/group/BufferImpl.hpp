// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/group/Buffer.hpp>

#include "group/DeviceGroupImpl.hpp"

namespace kp {

/// The state behind a Buffer.
struct Buffer::Impl {
    /// Bytes of a copy and where they are in the host's memory.
    struct Part {
        uint32_t copy = 0;
        uint64_t offset = 0;
        uint64_t hostOffset = 0;
        uint64_t bytes = 0;
    };

    std::shared_ptr<DeviceGroup::Impl> group;
    std::vector<uint64_t> shape;
    ElementType type;
    BufferPlacement placement = BufferPlacement::eReplicated;
    bool writable = true;
    bool alive = true;
    std::vector<std::shared_ptr<Tensor>> copies; ///< null: a shard without rows
    std::vector<uint32_t> queueOfCopy;           ///< whose order it keeps
    std::vector<uint64_t> rows;                  ///< of each copy
    std::vector<uint64_t> firstRow;              ///< of each copy, in the whole buffer

    bool sharded() const { return placement == BufferPlacement::eSharded; }
    uint64_t elements() const;
    uint64_t rowBytes() const;
    uint64_t wholeBytes() const { return elements() * type.bytes(); }
    uint64_t bytesOf(uint32_t copy) const { return rows[copy] * rowBytes(); }
    uint64_t wholeOffset(uint32_t copy) const { return firstRow[copy] * rowBytes(); }
    uint32_t copyCount() const { return static_cast<uint32_t>(rows.size()); }
    size_t deviceOf(uint32_t copy) const { return group->deviceOfQueue[queueOfCopy[copy]]; }
    const std::shared_ptr<vulkan::Buffer>& memory(uint32_t copy) const;

    /// Checks the shape and says what each copy has. Makes no memory.
    void lay(const BufferOptions& options);
    /// @throws InvalidArgument after destroy()
    void requireAlive() const;
    void requireWritable() const;
    /// Which copy an index means.
    uint32_t copyOf(uint32_t index) const;
    /// The parts that a range touches. @throws InvalidArgument where it does not fit
    std::vector<Part> parts(std::optional<uint32_t> index, uint64_t offset, uint64_t bytes,
                            bool reading) const;
    /// The device memory of a copy changes in another way than through its mirror.
    void noteDeviceWrite(uint32_t copy) const;
    std::string describe() const; ///< "a buffer [4, 3] of float"
};

} // namespace kp
