// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Binds Buffer and Shard.
void bindGroupBuffer(py::module_& module);

} // namespace kp::python
