// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds Profiler, ProfilerScope and ProfileEntry. Comes after TimingSink, its base.
void bindProfiler(py::module_& module);

} // namespace kp::python
