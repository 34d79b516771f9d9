// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kp::shader {

/// Returns a module with the same functions, in which each that has no branch, returns a value and
/// uses no memory but variables of its own is straight code: without calls of such functions,
/// without variables, and mostly on scalars. Other functions stay as they are. Drivers compile
/// calls slowly: SwiftShader takes 37 s for 40 calls of kp_f64_fma(), mostly to inline the callees.
/// Thread-safe.
/// @param spirv  a valid module
std::vector<uint32_t> withStraightFunctions(std::span<const uint32_t> spirv);

} // namespace kp::shader
