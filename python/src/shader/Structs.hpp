// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kompute/shader/Reflection.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns where a structured dtype differs from the struct of a shader in the places or types of
/// its numbers; "" if it does not, or is not structured. NumPy and GLSL pad structs differently.
std::string structMismatch(const std::vector<shader::Member>& members, const py::dtype& dtype);

} // namespace kp::python
