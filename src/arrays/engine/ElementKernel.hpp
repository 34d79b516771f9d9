// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "arrays/engine/KernelText.hpp"
#include "arrays/engine/Rules.hpp"

namespace kp::arrays {

/// The index of an invocation: work groups in x and y are counted as one row.
inline constexpr const char* kGlobalIndex =
    "    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * "
    "gl_WorkGroupSize.x + gl_LocalInvocationIndex;\n";

/// Returns the bindings that a kernel accesses in vectors along a part of so many elements.
uint64_t wideBindings(const KernelCode& program, const Layout& layout, const Rules& rules,
                      int64_t count, Part part);

/// Returns how many elements an invocation computes side by side. Small kernels wait for memory;
/// with several loads on the way at once, an invocation waits less often.
/// @param more  instructions that the program does not have
uint32_t elementsEach(const KernelCode& program, const Rules& rules, size_t more = 0);

/// Returns how many elements a work group computes.
uint32_t elementsOfGroup(const KernelCode& program, const Rules& rules);

/// Returns the shader that computes the elements. Parameter 0 is their number.
std::string elementSource(const KernelCode& program, const Layout& layout, const Rules& rules,
                          uint64_t wide);

} // namespace kp::arrays
