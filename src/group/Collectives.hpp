// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "group/Collective.hpp"

namespace kp::group {

// The collective operations of Buffer, without the launch. See there for arguments and errors.

/// Copies bytes between two copies. The copies are given by their own numbers.
Collective copyOf(const Buffer::Impl& buffer, uint32_t source, uint32_t destination,
                  uint64_t sourceOffset, uint64_t destinationOffset, std::optional<uint64_t> bytes);
/// Copies a buffer to another one of any placement.
Collective copyTo(const Buffer::Impl& from, const Buffer::Impl& to);
Collective broadcast(const Buffer::Impl& buffer, uint32_t root);
Collective scatter(const Buffer::Impl& from, const Buffer::Impl& to, uint32_t root);
Collective gather(const Buffer::Impl& from, const Buffer::Impl& to, uint32_t root);
Collective allGather(const Buffer::Impl& from, const Buffer::Impl& to);
Collective reduce(const Buffer::Impl& buffer, ReduceOperation operation, uint32_t root);
Collective allReduce(const Buffer::Impl& buffer, ReduceOperation operation);
Collective reduceScatter(const Buffer::Impl& from, const Buffer::Impl& to,
                         ReduceOperation operation);

} // namespace kp::group
