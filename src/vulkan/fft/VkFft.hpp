// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan {

/// Returns true if the library was built with VkFFT.
bool hasVkFft();

/// Plans a transform by VkFFT, whose calls of Vulkan are noted instead of made: nothing but the
/// request and the limits decides, and no device is needed. Takes milliseconds. Thread-safe.
/// @return no steps if VkFFT has no method for these extents
/// @throws OutOfMemory; Unsupported without VkFFT
FftProgram planVkFft(const FftRequest& request, const FftLimits& limits);

} // namespace kp::vulkan
