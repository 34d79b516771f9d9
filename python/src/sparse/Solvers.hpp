// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds the solvers of kp.sparse.linalg.
void bindSolvers(py::module_& module);

} // namespace kp::python
