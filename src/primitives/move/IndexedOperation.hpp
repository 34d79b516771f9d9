// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/primitives/TensorRange.hpp>

#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// Checks the arguments of OpGather and OpScatter, and makes their plan.
/// @param shape, axis  of the output if @p scatter, else of the input
std::unique_ptr<BoundPlan> indexedOperation(const TensorRange& in, const TensorRange& indices,
                                            const TensorRange& out,
                                            const std::vector<uint64_t>& shape, int axis,
                                            bool scatter);

} // namespace kp::primitives
