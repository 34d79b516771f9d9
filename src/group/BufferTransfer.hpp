// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "group/BufferImpl.hpp"

namespace kp::group {

/// Transfers between the copies of a buffer and host memory. Used by one thread.
class BufferTransfer {
public:
    /// Bytes of one copy, and where they are in host memory.
    struct Part {
        uint32_t copy = 0;
        uint64_t offset = 0; ///< in the copy
        uint64_t hostOffset = 0;
        uint64_t bytes = 0;
    };
    /// Transfers one part. Called by any thread.
    using Copy = std::function<void(Tensor& tensor, const Part& part)>;

    // Arguments and errors as Buffer's functions of these names.

    static BufferTransfer read(const Buffer::Impl& buffer, void* data, uint64_t bytes,
                               std::optional<uint32_t> index, uint64_t offset);
    static BufferTransfer write(const Buffer::Impl& buffer, const void* data, uint64_t bytes,
                                std::optional<uint32_t> index, uint64_t offset);

    /// @return one event per part
    std::vector<Event> start(const std::vector<Event>& waitFor) const;
    /// Returns when the transfer is done.
    void run() const;

private:
    /// @throws InvalidArgument if the range does not fit
    BufferTransfer(const Buffer::Impl& buffer, std::optional<uint32_t> index, uint64_t offset,
                   uint64_t bytes, bool reading);

    const Buffer::Impl& mBuffer;
    std::vector<Part> mParts;
    Copy mCopy;
};

} // namespace kp::group
