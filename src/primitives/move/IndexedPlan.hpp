// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "primitives/plan/Axis.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// The problem of OpGather and OpScatter: for each of `array.outer`, `indices` rows of
/// `array.inner` elements, from or to some of the `array.length` rows of the indexed array.
struct IndexedProblem {
    AxisExtents array;
    uint64_t indices = 0;
    uint64_t elementBytes = 4;
    bool scatter = false;
    bool wideIndices = false;
    bool signedIndices = false;
    uint32_t inUnit = 16; ///< startUnit() of the arguments
    uint32_t outUnit = 16;
    bool operator==(const IndexedProblem&) const = default;
};

/// Arguments: 0 is the input, 1 the indices, 2 the output.
Plan planIndexed(const IndexedProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
