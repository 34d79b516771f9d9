// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"
#include "primitives/select/SelectPlan.hpp"

namespace kp::primitives {

/// Plans a selection of few elements by one invocation, in one dispatch: SelectWay::eAlone. The
/// problem has elements, and is not a partition.
Plan planSelectAlone(const SelectProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
