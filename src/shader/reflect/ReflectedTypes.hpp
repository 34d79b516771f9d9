// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/shader/Reflection.hpp>
#include <spirv_cross/spirv_cross.hpp>

namespace kp::shader {

/// A module with its types, as SPIRV-Cross reads it.
class Inspector : public spirv_cross::Compiler {
public:
    using Compiler::Compiler;
    using Compiler::evaluate_constant_u32;
};

/// Returns the type of a scalar, vector or matrix, or of an array of them.
ScalarType scalarOf(const spirv_cross::SPIRType& type);

/// Returns the number of scalars in a value of a type; 1 for a struct.
/// @param skipOutermost  ignores the outermost array dimension
uint32_t componentsOf(const Inspector& inspector, const spirv_cross::SPIRType& type,
                      bool skipOutermost);

/// Returns the members of a block or a struct with explicit offsets.
std::vector<Member> membersOf(const Inspector& inspector, const spirv_cross::SPIRType& block);

} // namespace kp::shader
