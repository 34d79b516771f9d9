// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/Memory.hpp>

#include "vulkan/device/Device.hpp"

namespace kp::primitives {

/// Returns the number of bits of a type's keys.
uint32_t sortKeyBits(Memory::DataTypes type);

/// Returns the macros of shaders/primitives/sort/SortKeys.glsl for keys of a type: KEY_STORED,
/// KEY_BITS, KEY_KIND and KEY_INFINITY.
std::string keyMacros(Memory::DataTypes type);

} // namespace kp::primitives
