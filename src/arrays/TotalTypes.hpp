// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/arrays/NumberType.hpp>

namespace kp::arrays {

/// Returns the type of sums and products of a type: integers and bool add up to 64 bits.
inline DType totalType(DType dtype) {
    if (dtype >= DType::eFloat16)
        return dtype;
    return numberType(dtype).family == 'u' ? DType::eUint64 : DType::eInt64;
}

/// Returns the type in which totals of a type are computed: float16 has too few digits.
inline DType atLeastSingle(DType dtype) {
    return dtype == DType::eFloat16 ? DType::eFloat32 : dtype;
}

} // namespace kp::arrays
