// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Replaces an OpExtInst of GLSL.std.450 whose operands or result are lowered.
/// @return false if it can stay
bool lowerExtended(LoweringContext& context, const Node& node);

} // namespace kp::shader
