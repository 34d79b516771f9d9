// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// An axis of an array that is copied from one layout to another. Strides are in bytes; the input's
/// is negative if the axis is reversed.
struct MoveAxis {
    uint64_t extent = 1;
    int64_t in = 0;
    uint64_t out = 0;
    bool operator==(const MoveAxis&) const = default;
};

/// The problem of OpTranspose, OpReverse and OpConcatenate for an input.
struct MoveProblem {
    uint64_t elementBytes = 4;
    std::vector<MoveAxis> axes; ///< at most 4, the largest stride in the output first
    uint64_t inOffset = 0;      ///< bytes, of the element with all indices 0
    uint64_t outOffset = 0;
    uint32_t inMemory = 0;
    uint32_t outMemory = 1;
    uint32_t inUnit = 16; ///< startUnit() of the arguments
    uint32_t outUnit = 16;
    bool operator==(const MoveProblem&) const = default;
};

/// Appends the copy to a plan.
void planMove(Plan& plan, const MoveProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
