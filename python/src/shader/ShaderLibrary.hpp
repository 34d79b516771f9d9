// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds the library of GLSL functions, for those who write kernels in Python.
void bindShaderLibrary(py::module_& module);

} // namespace kp::python
