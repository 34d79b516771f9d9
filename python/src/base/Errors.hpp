// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns a message of the library in Python's spelling: evalAwait() becomes eval_await(), eDevice
/// device.
std::string inPythonSpelling(const std::string& message);

/// Runs @p body in a function that CPython calls directly: an exception becomes a Python exception
/// and a null result.
template <typename Body>
PyObject* guarded(Body&& body) {
    try {
        return body();
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (...) {
        py::detail::try_translate_exceptions();
    }
    return nullptr;
}

/// Finds the classes of the library's errors in the package.
void findErrorClasses();

/// Translates the exceptions of the library, and Python's that pass through it.
void bindErrors(py::module_& module);

} // namespace kp::python
