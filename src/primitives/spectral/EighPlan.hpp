// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

struct EighProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t size = 0;
    uint64_t batches = 1;
    bool vectors = true;
    bool upper = false; ///< the upper triangles are read
    bool operator==(const EighProblem&) const = default;
};

/// Arguments: A, the eigenvalues, the eigenvectors if any.
Plan planEigh(const EighProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
