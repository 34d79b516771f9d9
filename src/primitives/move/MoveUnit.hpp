// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// Elements of any type are moved in units of 1, 2, 4, 8 or 16 bytes, the type of which does not
/// matter.
constexpr uint32_t kMaxMoveUnit = 16;

/// Returns the largest unit that divides @p bytes, which may be the sum or bitwise or of several
/// sizes and offsets. 0 is divided by every unit.
uint32_t moveUnit(uint64_t bytes);

/// Returns the largest unit that divides the address of a range's first element.
uint32_t startUnit(const TensorRange& range);

/// Returns the macros UNIT_STORED, UNIT_VALUE, UNIT_LOAD and UNIT_STORE, which resemble the macros
/// of glslTypeMacros().
std::string unitMacros(uint32_t unit);

/// @throws InvalidArgument if the elements of two arguments have other types or sizes
void requireSameElements(const Argument& a, const Argument& b, const char* operation);

} // namespace kp::primitives
