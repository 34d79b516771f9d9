// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds what the functions of kp.arrays are made of.
void bindArrayEngine(py::module_& module);

} // namespace kp::python
