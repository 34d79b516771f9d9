// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "Handles.hpp"

/// Python objects inside of what the library keeps, and Python code on the library's threads.
namespace kp::python {

/// A reference to a Python object that may be dropped in any thread, without the GIL and with the
/// library's locks held: it is put aside, and let go of when Python code runs next.
using Held = std::shared_ptr<PyObject>;

/// With the GIL.
Held hold(py::handle object);

/// Lets go of what was put aside. With the GIL and without locks of the library.
void releaseHeld();

/// A Python exception on its way through the library: raised again, with its type and traceback, in
/// whoever waits.
class PythonFailure : public std::exception {
public:
    /// With the GIL. @param error  an instance of BaseException
    explicit PythonFailure(py::handle error);

    const char* what() const noexcept override { return mMessage->c_str(); }
    void raise() const;

private:
    Held mError;
    std::shared_ptr<const std::string> mMessage;
};

/// Runs code that uses Python on a thread of the library, with the GIL. @throws PythonFailure for
/// Python exceptions; Error where the interpreter is ending, in which case nothing is run
void runFromLibrary(const std::function<void()>& code);

/// Runs code that uses Python where the library calls back in a thread that let go of the GIL.
/// @throws PythonFailure for Python exceptions, so that the library may keep them
template <typename Body>
auto withinLibrary(Body&& body) {
    const py::gil_scoped_acquire acquire;
    try {
        return body();
    } catch (const py::error_already_set& error) {
        if (error.trace())
            PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
        throw PythonFailure(error.value());
    } catch (const py::builtin_exception& error) {
        error.set_error();
        const py::error_already_set raised;
        throw PythonFailure(raised.value());
    }
}

/// Calls a Python function on a thread of the library. @throws PythonFailure; Error where the
/// interpreter is ending, in which case nothing is called
void callFromLibrary(const Held& function, const Held& keywords);

/// True in a call of callFromLibrary() once the interpreter is ending: nothing may be waited for.
bool mustStopWaiting();

/// No function is called from now on. Waits, without the GIL, for those that run.
void endCallsFromLibrary();

void bindHeld();

} // namespace kp::python
