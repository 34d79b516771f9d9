// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "primitives/plan/Plan.hpp"
#include "primitives/select/SelectPlan.hpp"

namespace kp::primitives {

/// Returns the bytes of the units in which elements are moved.
uint32_t unitOf(const SelectProblem& problem);

/// Returns the macros of the selection, and adds the texts of the caller to the kernel and the
/// functions. Elements of no number type are compared as units.
std::string choiceMacros(const SelectProblem& problem, Kernel& kernel, std::string& functions);

} // namespace kp::primitives
