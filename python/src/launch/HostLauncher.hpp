// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds HostLauncher.
void bindHostLauncher(py::module_& module);

} // namespace kp::python
