// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Handles.hpp"

namespace kp::python {

/// Gives an algorithm its shader, memory and constants, as Manager.algorithm and rebuild take them.
void rebuild(AlgorithmHandle& handle, const py::object& tensors, const py::object& spirv,
             const py::object& workgroup, const py::object& specConsts,
             const py::object& pushConsts, const py::object& threadCount);

} // namespace kp::python
