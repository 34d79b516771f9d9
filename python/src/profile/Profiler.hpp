// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds KernelStatistics, to_table, TimingSink and FunctionProfiler.
void bindKernelStatistics(py::module_& module);
/// Binds TraceOptions and the functions that say which launches are traced and profiled.
void bindTrace(py::module_& module);
/// Binds Profiler, ProfilerScope and ProfileEntry. Comes after TimingSink, its base.
void bindProfiler(py::module_& module);

} // namespace kp::python
