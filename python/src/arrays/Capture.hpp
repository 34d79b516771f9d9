// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds what kp.function is made of.
void bindCapture(py::module_& module);

} // namespace kp::python
