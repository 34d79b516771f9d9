// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/RandomState.hpp>

#include "primitives/DeviceTraits.hpp"
#include "primitives/Plan.hpp"

namespace kp::primitives {

/// Argument 0 are the indices, of 4 or 8 bytes.
Plan planPermutation(uint64_t count, uint32_t indexBytes, const RandomState& state,
                     const DeviceTraits& traits);

} // namespace kp::primitives
