// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

namespace kp::python {

/// Adds the functions of arrays that Python takes from the library as they are.
void bindArrayFunctions(py::module_& module);

} // namespace kp::python
