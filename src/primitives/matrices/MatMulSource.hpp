// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "primitives/matrices/MatMulRules.hpp"

namespace kp::primitives {

/// Returns the text of shaders/primitives/matrices/MatMulOperand.glsl for one operand.
/// @param name  "A" or "B"
std::string matMulOperandText(const char* name);

/// Returns how many steps along `inner` a turn of the kernel's loop takes: one tile on a CPU, else
/// two.
uint32_t matMulTurn(const MatMulTile& tile, const DeviceTraits& traits);

/// Returns the macros of shaders/primitives/matrices/MatMulTiles.glsl that describe the tile.
std::string matMulTileMacros(const MatMulTile& tile, const DeviceTraits& traits);

} // namespace kp::primitives
