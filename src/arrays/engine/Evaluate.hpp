// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

// Each starts work on the manager's default queue and returns at once. They take engineLock()
// themselves.

/// Computes and stores values for all elements of a shape, in one dispatch. Callers have called
/// beforeWrite() for memory that others read.
/// @throws Unsupported, OutOfMemory, DeviceLost
void run(const std::shared_ptr<Home>& home, const Shape& shape, const std::vector<Write>& writes);

/// Changes a write so that one kernel can bind all its memory: computes its operands, and adds up
/// its indices if they are too many.
void fitBuffers(Write& write);

/// Writes values, of a shape that broadcasts to the view's, into its elements.
void store(const View& view, const NodePtr& value);
/// Does so for several views; views of one shape share a kernel.
void storeAll(const std::vector<std::pair<View, NodePtr>>& stores);

/// Computes a node and returns its elements. The node is a leaf from then on.
View materialize(const NodePtr& node);

/// Returns a copy of a view's elements, a storage of its own in C order.
View copied(const View& view);
/// Returns the view, or a copy in C order.
View contiguous(const View& view);
/// Returns the view, or a copy that is a storage of its own in C order.
View whole(const View& view);
/// Returns a copy of all elements.
std::shared_ptr<Storage> copyOf(const std::shared_ptr<Storage>& storage);

/// Returns the shader that would compute a node, or copy it.
std::string sourceOf(const NodePtr& node);

} // namespace kp::arrays
