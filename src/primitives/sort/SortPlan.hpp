// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"
#include "primitives/sort/SortRules.hpp"

namespace kp::primitives {

/// @throws Unsupported if segments are given by offsets, which are in device memory, and the
/// elements
///         do not fit a view: where they could be cut is not known here
Plan planSort(const SortProblem& problem, const DeviceTraits& traits, const SortRules& rules);
Plan planSort(const SortProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
