// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// What OpSearchSorted searches.
struct SearchProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t sorted = 0;
    uint64_t needles = 0;
    /// Needle i is the number i, instead of an argument; the type is eUnsignedInt.
    bool countingNeedles = false;
    bool right = false;
    uint32_t placeBytes = 4;
    bool operator==(const SearchProblem&) const = default;
};

/// Arguments: the sorted elements, the needles unless they count, the places.
Plan planSearch(const SearchProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
