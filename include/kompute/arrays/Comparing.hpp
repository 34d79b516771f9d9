// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>

namespace kp {

/// Tolerances for equality: |x - y| <= absolute + relative * |y|.
struct Tolerance {
    double relative = 1e-5;
    double absolute = 1e-8;
    bool equalNan = false; ///< whether NaN is near NaN
};

/// Returns whether elements are nearly equal. Infinities are nearly equal only to themselves.
/// Integers are compared as defaultFloat().
KOMPUTE_API Array isclose(const Array& x, const Operand& y, const Tolerance& tolerance = {});
/// Returns whether all elements are nearly equal. Waits for them.
KOMPUTE_API bool allclose(const Array& x, const Operand& y, const Tolerance& tolerance = {});
/// Returns whether arrays have one shape and equal elements. Waits for them.
/// @param equalNan  whether NaN equals NaN
KOMPUTE_API bool arrayEqual(const Array& x, const Array& y, bool equalNan = false);

} // namespace kp
