// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "primitives/matrices/MatMulRules.hpp"

namespace kp::primitives {

/// Cuts a product into panels such that every panel's memory fits a view.
struct MatMulPanels {
    // The extents of panels.
    uint64_t rows = 1;
    uint64_t columns = 1;
    uint64_t inner = 1;
    uint64_t batches = 1;
    uint64_t alignment = 8; ///< panels begin at multiples of it
    uint64_t pieces = 1;    ///< panels along `inner`

    /// True if rows begin at multiples of `elements`, of 4 or 8.
    bool isAligned(const StoredMatrix& matrix, uint64_t elements = 4) const {
        return alignment % elements == 0 && matrix.alignment % elements == 0 &&
               matrix.stride % elements == 0 && matrix.batchStride % elements == 0;
    }

    static MatMulPanels of(const MatMulProblem& problem, const DeviceTraits& traits);
};

/// Returns the elements from the first to the last of `rows` stored rows.
inline uint64_t storedElements(uint64_t rows, uint64_t length, uint64_t stride) {
    return rows == 0 || length == 0 ? 0 : (rows - 1) * stride + length;
}

} // namespace kp::primitives
