// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp {

/// A stack of matrices in C order, one after the other, without gaps. Extents are below 2^31, and
/// may be 0.
struct RectangularMatrices {
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t batches = 1; ///< the number of matrices
};

} // namespace kp
