// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds the sparse matrix behind kp.sparse's.
void bindCsr(py::module_& module);

} // namespace kp::python
