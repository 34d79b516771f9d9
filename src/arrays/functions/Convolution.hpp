// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>

namespace kp::arrays {

/// Returns the convolution of rows of one type; see kp::convolve().
/// @param v  not longer than a
/// @throws as kp::convolve()
Array convolved(const Array& a, const Array& v, ConvolutionPart part, ConvolutionMethod method);

} // namespace kp::arrays
