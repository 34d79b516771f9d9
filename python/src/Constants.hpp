// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "Handles.hpp"

namespace kp::python {

/// The bytes of push constants: a list or tuple of numbers (float32), a number (float32), a NumPy
/// array or scalar of any dtype, structs included, or a dict by member name.
/// @param spirv     the shader that dict names are looked up in
/// @param previous  values of members that a dict leaves out; may be empty
/// @throws TypeError, ValueError naming @p argument
std::vector<unsigned char> pushConstantBytes(py::handle values, const std::vector<uint32_t>& spirv,
                                             const std::vector<unsigned char>& previous,
                                             const char* argument = "push_consts");

/// Specialization constants: as push constants, each number, member of a struct or dict entry (by
/// name or constant_id) being one constant.
std::vector<SpecializationConstant> specializationConstants(py::handle values,
                                                            const std::vector<uint32_t>& spirv);

} // namespace kp::python
