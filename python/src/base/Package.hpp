// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns a function or class of the package by its name in kp/_extension.py, which hands over how
/// to find them when the package is imported. Nothing else of the package is known here.
/// @throws error_already_set (RuntimeError) if only the extension module was imported
py::object ofPackage(const char* name);

/// Sets the RuntimeError of calls without the package.
void setNeedsPackage();

/// Binds _set_package, with which the package hands over its functions.
void bindPackage(py::module_& module);

} // namespace kp::python
