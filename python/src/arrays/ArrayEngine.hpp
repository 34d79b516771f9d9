// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds the building blocks of the functions of kp.arrays.
void bindArrayEngine(py::module_& module);

} // namespace kp::python
