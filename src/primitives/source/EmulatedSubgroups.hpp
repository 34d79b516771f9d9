// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kp::primitives {

/// Returns GLSL of composeSource() with subgroups of so many lanes, regardless of the driver's. See
/// EmulatedSubgroups.glsl, which it needs.
std::string withEmulatedSubgroups(std::string_view source, uint32_t lanes);

/// Returns the bytes of shared memory that this takes in a work group of so many invocations.
uint32_t emulationBytes(uint32_t groupSize);

} // namespace kp::primitives
