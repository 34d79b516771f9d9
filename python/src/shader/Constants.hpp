// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Algorithm.hpp>

#include "base/Handles.hpp"

namespace kp::python {

/// Push constants.
struct PushBytes {
    std::vector<unsigned char> bytes;
    /// Of an array of numbers, to be compared with the shader's; else eCustom.
    Memory::DataTypes type = Memory::DataTypes::eCustom;
};

/// Returns push constants: a list or tuple of numbers or a number, in the types that
/// the shader declares, a NumPy array or scalar of any dtype, structs included, or a dict by member
/// name.
/// @param spirv     the shader; if empty, numbers without a dtype are float32
/// @param previous  values of members that a dict leaves out; may be empty
/// @param declared  caches the shader's declarations between calls
/// @throws TypeError, ValueError naming @p argument
PushBytes pushConstantBytes(py::handle values, const std::vector<uint32_t>& spirv,
                            const std::vector<unsigned char>& previous,
                            const char* argument = "push_consts",
                            std::optional<DeclaredPush>* declared = nullptr);

/// Returns a shader's declarations.
/// @param known  filled once
const DeclaredPush& declaredPush(std::optional<DeclaredPush>& known,
                                 const std::vector<uint32_t>& spirv);

/// Refuses push constants of another size than the shader declares, and missing ones, by their
/// names. @throws InvalidArgument
void requirePushConstants(const DeclaredPush& declared, size_t bytes);

/// Returns specialization constants: as push constants; each number, member of a struct or dict
/// entry (by name or constant_id) is one constant. Number i of a list has the constant_id i.
std::vector<SpecializationConstant> specializationConstants(py::handle values,
                                                            const std::vector<uint32_t>& spirv);

} // namespace kp::python
