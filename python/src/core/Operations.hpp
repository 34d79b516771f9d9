// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

namespace kp::python {

/// Returns the operation to record for a Python object: the one behind it, or for classes derived
/// in Python a PythonOperation. @throws TypeError if it is no operation
std::shared_ptr<OpBase> toOperation(PyObject* object);

} // namespace kp::python
