// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan {

/// Plans transforms of complex floats along one axis whose length is a power of two, with shaders
/// of the library's own: one pass over the memory for short arrays, two for longer ones. It takes
/// the lengths at which these were measured to be faster than VkFFT's, see PowerOfTwoFft.cpp.
/// Nothing but the request and the limits decides. Takes less than a millisecond. Thread-safe.
/// @return no steps if the request is for another planner
FftProgram planPowerOfTwoFft(const FftRequest& request, const FftLimits& limits);

} // namespace kp::vulkan
