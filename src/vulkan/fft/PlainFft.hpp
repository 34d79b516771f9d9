// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan {

/// Plans transforms for devices that are CPUs: a pass over device memory for each factor of the
/// extents. Its kernels are short and shared by many passes, because drivers of such devices take
/// up to seconds to compile others, and have no barriers, which are slower there than memory.
/// Nothing but the request and the limits decides. Takes less than a millisecond, and of long
/// arrays 20 ns per element for a table. Thread-safe.
///
/// Extents may have no prime factor above 61. Rows of halves may have no odd length if they are
/// real.
/// @return no steps if the request is for another planner
FftProgram planPlainFft(const FftRequest& request, const FftLimits& limits);

} // namespace kp::vulkan
