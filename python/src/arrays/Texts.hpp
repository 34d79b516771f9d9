// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds the GLSL of number types, conversions and elementwise functions, for kp.arrays.
void bindArrayTexts(py::module_& module);

} // namespace kp::python
