// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

void bindArray(py::module_& module);

} // namespace kp::python
