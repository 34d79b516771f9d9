// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/Memory.hpp>

#include "vulkan/device/Device.hpp"

namespace kp {

/// How shaders of the library handle the numbers of a data type. Numbers of 8 and 16 bits are
/// computed in 32 bits.
struct GlslType {
    const char* stored;         ///< the GLSL type in buffers: "float16_t"
    Memory::DataTypes computed; ///< eInt, eUnsignedInt, eLong, eUnsignedLong, eFloat or eDouble
    const char* name;           ///< in the names of macros and functions: "Half"
};

/// @param verb  for the message: "reduced"
/// @throws InvalidArgument for eCustom
const GlslType& glslTypeOf(Memory::DataTypes type, const char* verb);

/// Returns the GLSL type in which numbers of a data type are computed: "float" for eHalf.
const char* glslComputedName(Memory::DataTypes type);

/// Returns macros for a type of numbers, to precede shaders/primitives/parts/Types.glsl:
///
///     X_STORED     type in buffers
///     X_VALUE      type in computations
///     X_LOAD(s)    X_VALUE of an X_STORED
///     X_STORE(v)   X_STORED of an X_VALUE, rounded or truncated
///     X_PER_BLOCK  numbers in 16 bytes
///     X_UNPACK(block, v), X_PACK(v)  between a uvec4 and X_VALUE[X_PER_BLOCK]
///     X_OF_WORDS(w)  X_VALUE of its bits, a uvec2; wordsOf() is the other direction
/// @param prefix  in place of X
std::string glslTypeMacros(const std::string& prefix, Memory::DataTypes type);

/// Returns the GLSL vector of four numbers that are computed with: "vec4" for eHalf.
std::string glslComputedVector(Memory::DataTypes type);

/// Returns macros for vectors of four numbers in buffers, to follow glslTypeMacros():
///
///     X_VECTOR        type in buffers
///     X_FOUR(s)       vector of four X_VALUE of an X_VECTOR
///     X_VECTOR_OF(v)  X_VECTOR of four X_VALUE
/// @param prefix  in place of X
/// @throws InvalidArgument for eBool
std::string glslVectorMacros(const std::string& prefix, Memory::DataTypes type);

} // namespace kp
