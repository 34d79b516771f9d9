// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Handles.hpp"

namespace kp::python {

/// Manager.pinned_array: a new array in host memory that the device reaches without staging;
/// float32 where @p dtype is None.
py::object makePinnedArray(ManagerHandle& manager, py::handle shape, const py::object& dtype);

/// Manager.import_host: tells the device of the memory of an array.
py::object importArray(ManagerHandle& manager, py::handle array);

} // namespace kp::python
