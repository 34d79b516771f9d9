// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>

#include "primitives/DeviceTraits.hpp"
#include "primitives/Plan.hpp"

namespace kp::primitives {

/// A matrix as it is stored.
struct StoredMatrix {
    uint64_t stride = 0;      ///< elements from row to row
    uint64_t batchStride = 0; ///< elements from matrix to matrix
    /// The matrices begin at a multiple of four elements in their buffer.
    bool isAligned = true;
};

struct MatMulProblem {
    Memory::DataTypes in = Memory::DataTypes::eFloat;
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t inner = 0;
    uint64_t batches = 1;
    bool transposeA = false;
    bool transposeB = false;
    StoredMatrix a;
    StoredMatrix b;
    StoredMatrix c;
    double alpha = 1;
    double beta = 0;
    std::string epilogue;
    bool hasBias = false;
    bool biasOfRows = false;
};

/// How a work group of a product divides its work: tiles of rows x columns of C, `depth` steps
/// along `inner` at a time, threadRows x threadColumns elements per invocation.
struct MatMulTile {
    uint32_t rows;
    uint32_t columns;
    uint32_t depth;
    uint32_t threadRows;
    uint32_t threadColumns;

    uint32_t threads() const { return rows / threadRows * (columns / threadColumns); }
    /// @param bytes  of a sum
    uint64_t sharedBytes(uint32_t bytes) const {
        return uint64_t{2} * depth * (rows + columns + 8) * bytes;
    }
};

/// A tile, and into how many slices `inner` is cut.
struct MatMulChoice {
    MatMulTile tile;
    uint64_t slices = 1;
};

/// Returns the tile that a rule of costs prefers.
MatMulChoice chooseMatMulTile(const MatMulProblem& problem, const DeviceTraits& traits);

/// Returns the type of sums.
Memory::DataTypes matMulSumType(Memory::DataTypes in);

/// Arguments: 0 is A, 1 is B, 2 is C, 3 the bias.
/// @param choice  replaces that of the rules, for tests and tuning; null otherwise
Plan planMatMul(const MatMulProblem& problem, const DeviceTraits& traits,
                const MatMulChoice* choice = nullptr);

} // namespace kp::primitives
