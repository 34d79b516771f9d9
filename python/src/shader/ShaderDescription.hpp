// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns kp.reflect as dictionaries and lists, from which the Python side creates its classes.
py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint = "main");

/// Binds kp._reflect.
void bindShaderDescription(py::module_& module);

} // namespace kp::python
