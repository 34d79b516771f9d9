// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Programs, which kp.Program wraps.
void bindPrograms(py::module_& module);

} // namespace kp::python
