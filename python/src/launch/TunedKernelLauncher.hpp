// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds TunedKernelLauncher.
void bindTunedKernelLauncher(py::module_& module);

} // namespace kp::python
