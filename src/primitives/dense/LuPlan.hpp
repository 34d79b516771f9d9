// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kompute/Memory.hpp>

#include "primitives/dense/DensePlanner.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// The choices of OpLu. One table, with the reason of each number.
struct LuRules {
    /// Columns that a work group factors: as many as the kernel has places for.
    uint64_t panel = 32;
    /// Columns that are factored before the rest of the matrix is updated: see CholeskyRules.
    uint64_t block = 128;
    /// Invocations of the work group, and elements of 4 bytes that each keeps in registers: 64 of
    /// them are left for an invocation if there are 1024.
    uint32_t mostThreads = 1024;
    uint32_t words = 32;

    static LuRules of(const DeviceTraits& traits);
};

/// How a work group divides a panel among its invocations.
struct LuPanelShape {
    uint32_t threads = 32;
    uint32_t rows = 1; ///< of each invocation
    uint32_t columns = 32;

    static LuPanelShape of(uint64_t rows, uint64_t columns, uint32_t elementBytes,
                           const DeviceTraits& traits);
};

/// 32-bit integers, some for each matrix.
struct DenseIntegers {
    uint32_t memory = 0;
    uint64_t first = 0;
    uint64_t batchStride = 0;
};

/// Factors that are stored in one matrix, in C order or transposed.
struct LuFactors {
    DenseBlock block;
    bool transposed = false;

    /// Returns a triangle op(L) or op(U) to solve with. The sides are the caller's.
    DenseTriangle triangle(bool lower, uint64_t size) const;
};

/// The matrices to factor, and the outputs.
struct LuFactoring {
    DenseBlock given;
    bool givenTransposed = false;
    uint64_t rows = 0;
    uint64_t columns = 0;
    LuFactors factors; ///< transposed, unless it is small: see isSmallLu()
    DenseIntegers pivots;
    DenseIntegers info;
    std::optional<DenseIntegers> order; ///< the row of A for each row of L U
};

/// True if one work group factors a matrix at once, regardless of its layout.
bool isSmallLu(uint64_t rows, uint64_t columns, uint32_t elementBytes, const DeviceTraits& traits);

/// Adds the steps for the batches of the planner.
void addLu(DensePlanner& planner, const LuFactoring& factoring);

struct LuProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t batches = 1;
    bool transposed = false;
    bool inPlace = false;
    uint32_t givenAlignment = 8; ///< see DenseBlock
    uint32_t alignment = 8;
    bool operator==(const LuProblem&) const = default;
};

/// Arguments: A, the factors, the pivots, and the info.
Plan planLu(const LuProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
