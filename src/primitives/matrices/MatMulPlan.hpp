// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/matrices/MatMulRules.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// Arguments: 0 is A, 1 is B, 2 is C, 3 the bias.
Plan planMatMul(const MatMulProblem& problem, const DeviceTraits& traits);
/// @param choice  replaces the rules' choice, for tests and tuning; null otherwise
Plan planMatMul(const MatMulProblem& problem, const DeviceTraits& traits,
                const MatMulChoice* choice);

} // namespace kp::primitives
