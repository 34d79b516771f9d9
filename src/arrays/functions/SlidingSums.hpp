// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arrays/engine/Node.hpp"

namespace kp::arrays {

/// Returns a row of sums of products: out[i] = sum over k of a[i + k - before] v[k], where a has no
/// elements outside. One dispatch: work groups share parts of both rows. Returns at once.
///
/// Sums of bools are their logical or. Floating-point numbers are added in blocks, so that errors
/// of long sums stay small; eFloat16 in float.
/// @param a, v    rows of one type that a kernel can bind
/// @param before  at least 0
/// @param count   at least 1
/// @throws Unsupported, OutOfMemory, DeviceLost
View slidingSums(const View& a, const View& v, int64_t before, int64_t count);

} // namespace kp::arrays
