// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Replaces an instruction of a function, as it was, if its numbers are lowered.
/// @return false if it can stay, with its ids replaced by the new ones
/// @throws ShaderError if it uses lowered numbers in a way that has no replacement
bool lowerInstruction(LoweringContext& context, const Node& node);

} // namespace kp::shader
