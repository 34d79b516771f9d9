// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Handles.hpp"

namespace kp::python {

/// What is recorded for a Python object: the operation behind it, or for classes derived in Python
/// a PythonOperation.
/// @throws TypeError where it is no operation
std::shared_ptr<OpBase> toOperation(PyObject* object);

} // namespace kp::python
