// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "primitives/dense/DensePlanner.hpp"

namespace kp::primitives {

/// A copy of the matrices of a pass, divided by powers of two such that the largest elements are
/// near 1.
struct ScaledCopy {
    DenseBlock given;
    uint64_t rows = 0;
    uint64_t columns = 0;
    /// LOWER or UPPER: of a symmetric matrix that triangle; TRANSPOSED: given as columns x rows.
    std::string part;
    uint32_t state = 0; ///< the memory of the scales: the first word of each matrix, before 0
    uint64_t stateWords = 1;
    DenseBlock to;       ///< rows of `stride` elements, without gaps
    uint64_t toRows = 0; ///< with rows of 0 after the given ones
    bool asZero = false; ///< matrices with infinities and NaNs become 0
};
void addScaledCopy(DensePlanner& dense, const ScaledCopy& copy);

/// Returns the text of DenseScale.glsl, and others after it.
std::string scaledText(std::initializer_list<std::string_view> texts);

} // namespace kp::primitives
