// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds KernelStatistics, to_table, TimingSink and FunctionProfiler.
void bindKernelStatistics(py::module_& module);

} // namespace kp::python
