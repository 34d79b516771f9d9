// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns the operators and the indexing of kp.Array: slots of the type, which know the usual
/// cases, and leave others to functions in Python.
std::vector<PyType_Slot> arrayOperators();
void bindArrayOperators(py::module_& module);

} // namespace kp::python
