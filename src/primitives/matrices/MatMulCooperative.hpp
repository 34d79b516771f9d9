// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/matrices/MatMulPanels.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// Returns the kernel of a product with cooperative matrices: of subgroups or of work groups.
/// @param final  it writes the results, not sums of slices
Kernel cooperativeMatMul(const MatMulProblem& problem, const DeviceTraits& traits,
                         const MatMulPanels& panels, const MatMulChoice& choice, bool final);

} // namespace kp::primitives
