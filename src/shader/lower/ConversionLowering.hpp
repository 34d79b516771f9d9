// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Replaces a conversion of numbers from or to a lowered type.
void lowerConversion(LoweringContext& context, const Node& node);

/// Replaces an OpBitcast from or to a lowered type. @return false if it can stay
bool lowerBitcast(LoweringContext& context, const Node& node);

} // namespace kp::shader
