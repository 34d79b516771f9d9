// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

// Memory that is larger than a kernel may bind, the device's maxStorageBufferRange. Kernels
// run block by block then, with copies of the windows of memory that a block reads and writes.

/// @throws Unsupported that says that a kernel cannot bind the memory
[[noreturn]] void failTooLarge(const Storage& storage);

/// Returns true if the kernel of some writes cannot bind all of their memory.
bool needsBlocks(const std::vector<Write>& writes);

/// Does the same as run(), block by block.
void runBlocks(const std::shared_ptr<Home>& home, const Shape& shape,
               const std::vector<Write>& writes);

/// Returns true if expressions read memory that a kernel cannot bind.
bool anyLarge(const std::vector<NodePtr>& nodes);

/// Returns a node that reads copies of windows of large memory; null if they are too large, too.
NodePtr withCopies(const NodePtr& node);

/// A part of an expression along an axis.
struct NodePart {
    int64_t start;
    int64_t count;
    NodePtr node;
};
/// Returns two parts of an expression along an axis.
std::vector<NodePart> halvesOf(const NodePtr& node, size_t axis);
/// Returns the axis along which an expression of large memory goes the longest way.
size_t longestAxis(const NodePtr& node);
/// Returns the part of a view along one of its axes.
View partOf(const View& view, size_t axis, int64_t start, int64_t count);

} // namespace kp::arrays
