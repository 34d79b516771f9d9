// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pybind11/pybind11.h>

namespace kp::python {

/// A message of the library in Python's spelling: evalAwait() becomes eval_await(), eDevice device.
std::string inPythonSpelling(const std::string& message);

/// For functions that CPython calls directly: runs @p body and turns what it throws into a Python
/// exception and a null result.
template <typename Body>
PyObject* guarded(Body&& body) {
    try {
        return body();
    } catch (pybind11::error_already_set& error) {
        error.restore();
    } catch (...) {
        pybind11::detail::try_translate_exceptions();
    }
    return nullptr;
}

} // namespace kp::python
