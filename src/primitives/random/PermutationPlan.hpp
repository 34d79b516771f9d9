// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/random/RandomState.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"
#include "primitives/random/RandomPlan.hpp"

namespace kp::primitives {

/// Returns the random numbers by which the indices are sorted. The plan begins with planRandom() of
/// them, and nothing else in it depends on the state.
RandomProblem permutationKeys(uint64_t count, const RandomState& state);

/// Argument 0 are the indices, of 4 or 8 bytes.
Plan planPermutation(uint64_t count, uint32_t indexBytes, const RandomState& state,
                     const DeviceTraits& traits);

} // namespace kp::primitives
