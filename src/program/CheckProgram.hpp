// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/ProgramData.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::program {

/// Checks that everything that a program refers to exists: kernels, descriptors, memory and its
/// parts. @throws InvalidArgument that says what is wrong
void requireSound(const Data& data);

/// Checks that a device has what a sound program needs. @throws Unsupported, ShaderError that name
/// it
void requireDevice(const Data& data, const vulkan::Device& device);

} // namespace kp::program
