// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds TraceOptions and the functions that say which launches are traced and profiled.
void bindTrace(py::module_& module);

} // namespace kp::python
