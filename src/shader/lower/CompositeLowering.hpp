// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Replaces instructions on vectors of wide numbers, which are arrays now: shuffles, accesses to a
/// component by a variable, and constructions of parts. @return false if the instruction can stay
bool lowerComposite(LoweringContext& context, const Node& node);

} // namespace kp::shader
