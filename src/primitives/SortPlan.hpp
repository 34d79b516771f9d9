// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/DeviceTraits.hpp"
#include "primitives/Plan.hpp"
#include "primitives/SortRules.hpp"

namespace kp::primitives {

/// @throws Unsupported if segments given by offsets are larger than a view
Plan planSort(const SortProblem& problem, const DeviceTraits& traits, const SortRules& rules);
Plan planSort(const SortProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
