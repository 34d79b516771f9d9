// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace kp::shader {

/// Returns the functions of shaders/lib/wide as a SPIR-V module, which the build makes. Each has a
/// name as GLSL compilers write it ("kp_i64_mul(vu2;vu2;"), its parameters are values, and it calls
/// only functions of the module. All but the remainders of doubles, which have a loop, are straight
/// code (StraightFunctions.hpp). Thread-safe; the words live as long as the program.
std::span<const uint32_t> wideLibrary();

} // namespace kp::shader
