// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Memory.hpp>
#include <kompute/shader/Reflection.hpp>

namespace kp {

/// Returns the type that shaders declare for a tensor's elements; eStruct if they have none
/// (eCustom and eBFloat16).
shader::ScalarType scalarTypeOf(Memory::DataTypes type);

/// Returns true if a declaration of one type accepts elements of another unchanged. Signed and
/// unsigned integers may take each other's place, as in programs for Kompute. Structs are not
/// compared.
bool takes(shader::ScalarType declared, Memory::DataTypes given);

} // namespace kp
