// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "primitives/MatMulRules.hpp"

namespace kp::primitives {

/// Returns the text of shaders/primitives/MatMulOperand.glsl for one operand.
/// @param name  "A" or "B"
std::string matMulOperandText(const char* name);

/// Returns the macros of shaders/primitives/MatMulTiles.glsl that describe the tile.
std::string matMulTileMacros(const MatMulTile& tile, const DeviceTraits& traits);

} // namespace kp::primitives
