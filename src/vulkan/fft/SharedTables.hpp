// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan {

/// Returns a program whose kernels bind no more buffers than a device allows, as far as tables of
/// one type can be one buffer; the program itself if all do.
FftProgram withSharedTables(FftProgram program, uint32_t maxBuffers);

} // namespace kp::vulkan
