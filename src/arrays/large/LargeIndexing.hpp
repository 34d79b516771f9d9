// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

// Indices into memory that is larger than a kernel may bind, and that may reach all of it:
// part by part of the memory, a kernel accesses the elements whose places are there.

/// Returns true if the steps of indices reach further than a kernel may bind.
bool reachBeyondBinding(const View& view, const std::vector<Step>& steps);

/// Returns what take() of the same arguments selects, computed. Callers have engineLock().
/// @throws Unsupported, OutOfMemory, DeviceLost
View takeByParts(const View& base, const Shape& shape, std::vector<NodePtr> indices,
                 std::vector<Step> steps);

/// Does the same as run() of one write. Callers have engineLock(), and have called beforeWrite().
/// @throws as takeByParts()
void writeByParts(Write write);

} // namespace kp::arrays
