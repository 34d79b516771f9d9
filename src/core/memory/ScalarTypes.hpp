// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Memory.hpp>
#include <kompute/Reflection.hpp>

namespace kp {

/// Returns the type that shaders declare for a tensor's elements; eStruct if they have none
/// (eCustom and eBFloat16).
shader::ScalarType scalarTypeOf(Memory::DataTypes type);

/// Returns true if what is declared with a type takes elements of another as they are. Signed and
/// unsigned integers may take each other's place, as in programs for Kompute. Structs are not
/// compared.
bool takes(shader::ScalarType declared, Memory::DataTypes given);

} // namespace kp
