// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

struct SolveProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t size = 0;
    uint64_t columns = 0; ///< of B and X
    uint64_t batches = 1;
    bool inverse = false;         ///< B is the identity, and no argument
    uint32_t matrixAlignment = 8; ///< see DenseBlock
    uint32_t resultAlignment = 8;
    bool operator==(const SolveProblem&) const = default;
};

/// Arguments: A, X, the info, and B if there is one.
Plan planSolve(const SolveProblem& problem, const DeviceTraits& traits);

struct TriangularSolveProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t size = 0;
    uint64_t columns = 0;
    uint64_t batches = 1;
    bool upper = false;
    bool transposed = false;
    bool unit = false;
    bool inPlace = false;
    uint32_t matrixAlignment = 8;
    uint32_t resultAlignment = 8;
    bool operator==(const TriangularSolveProblem&) const = default;
};

/// Arguments: T, B, and X.
Plan planTriangularSolve(const TriangularSolveProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
