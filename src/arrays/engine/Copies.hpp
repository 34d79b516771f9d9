// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

/// Launches the writes that only move rows of memory, or fill one, as commands of the driver, for
/// devices whose Rules say so: a driver that computes on the processor moves rows many times faster
/// than kernels do.
/// @return the other writes
std::vector<Write> withoutCopies(Home& home, const std::vector<Write>& writes);

} // namespace kp::arrays
