// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>
#include <kompute/primitives/sparse/OpSparseMatMul.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// What OpSparseMatMul multiplies.
struct SparseProblem {
    Memory::DataTypes part = Memory::DataTypes::eFloat; ///< of a complex number: of its parts
    bool isComplex = false;
    bool wideOffsets = false;
    bool wideIndices = false;
    uint64_t rows = 0;
    uint64_t inner = 0;
    uint64_t columns = 1;
    uint64_t nonzeros = 0;
    SparseMethod method = SparseMethod::eAutomatic;
    uint64_t longestRow = 0;
    bool operator==(const SparseProblem&) const = default;

    uint32_t numberBytes() const { return Memory::dataTypeMemorySize(part) * (isComplex ? 2 : 1); }
};

/// Returns eRows or eBalanced: the given method, or the fastest.
SparseMethod sparseMethod(const SparseProblem& problem);

/// Arguments: 0 are the offsets, 1 the indices, 2 the values, 3 X, 4 Y.
/// @throws Unsupported if one of them is larger than a view
Plan planSparse(const SparseProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
