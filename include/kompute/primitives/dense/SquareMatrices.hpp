// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp {

/// A stack of square matrices in C order, one after the other, without gaps.
struct SquareMatrices {
    uint64_t size = 0;    ///< rows and columns of each; below 2^31, and may be 0
    uint64_t batches = 1; ///< the number of matrices; below 2^31, and may be 0
};

} // namespace kp
