// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Memory.hpp>
#include <kompute/Reflection.hpp>

namespace kp {

/// Returns the type that shaders declare for a tensor's elements; eStruct if they have none
/// (eCustom and eBFloat16).
shader::ScalarType scalarTypeOf(Memory::DataTypes type);

} // namespace kp
