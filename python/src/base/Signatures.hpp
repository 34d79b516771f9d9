// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Makes inspect.signature() work for all functions, classes and methods of a module. pybind11 puts
/// signatures with types into the first line of docstrings, where inspect does not look. This adds
/// CPython's own form, without types, which CPython hides from __doc__.
/// @param module  complete: nothing is added to it afterwards
void addTextSignatures(py::handle module);
/// Does the same for the methods of a class that is not pybind11's.
void addClassSignatures(py::handle type);

} // namespace kp::python
