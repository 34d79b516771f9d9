// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/dense/DensePlanner.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

struct CholeskyProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t size = 0;
    uint64_t batches = 1;
    bool inPlace = false;
    uint32_t alignment = 8; ///< of L: see DenseBlock
    bool operator==(const CholeskyProblem&) const = default;
};

/// The choices of OpCholesky. One table, with the reason of each number.
struct CholeskyRules {
    /// Rows of a block that a work group factors: 16 elements in each of its 256 invocations.
    uint64_t block = 64;
    /// Columns that are factored before the rest of the matrix is updated: with fewer, the updates
    /// are bound by memory.
    uint64_t panel = 128;

    static CholeskyRules of(const DeviceTraits& traits);
};

/// Arguments: A, L, and the info.
Plan planCholesky(const CholeskyProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
