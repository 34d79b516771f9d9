// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "base/Gil.hpp"
#include "base/Pybind.hpp"

/// Python objects that the library keeps, and Python code on the library's threads.
namespace kp::python {

/// A reference to a Python object that may be dropped in any thread, without the GIL and with the
/// library's locks held: it is queued, and released when Python code runs next.
using Held = std::shared_ptr<PyObject>;

/// Requires the GIL.
Held hold(py::handle object);
/// Same for a function. @throws TypeError naming @p argument if it is not callable
Held holdFunction(py::handle function, std::string_view argument);

/// Drops a reference in any thread: at once with the GIL, otherwise as Held.
void release(py::object object);

/// Releases the queued references. With the GIL and without locks of the library.
void releaseHeld();

/// A Python exception that travels through the library. Waiting for the failed work raises it
/// again, with its type and traceback.
class PythonFailure : public std::exception {
public:
    /// Requires the GIL.
    /// @param error  an instance of BaseException
    /// @param kept   the library keeps it, and may raise it several times: each time a copy, so
    ///               that the frames that it passes through are not kept, too
    explicit PythonFailure(py::handle error, bool kept = false);

    const char* what() const noexcept override { return mMessage->c_str(); }
    void raise() const;

private:
    Held mError;
    std::shared_ptr<const std::string> mMessage;
    bool mKept;
};

/// @throws PythonFailure with the traceback of @p error
[[noreturn]] void throwFailure(const py::error_already_set& error, bool kept = false);

/// Runs code that uses Python on a thread of the library, with the GIL. @throws PythonFailure for
/// Python exceptions; Error if the interpreter is ending, in which case nothing runs
void runFromLibrary(const std::function<void()>& code);

/// Runs code that uses Python in a callback of the library, in a thread that released the GIL.
/// @throws PythonFailure for Python exceptions, so that the library may keep them
template <typename Body>
auto withinLibrary(Body&& body) {
    const AcquireGil acquire;
    try {
        return body();
    } catch (const py::error_already_set& error) {
        throwFailure(error);
    } catch (const py::builtin_exception& error) {
        error.set_error();
        throwFailure(py::error_already_set());
    }
}

/// Calls a Python function on a thread of the library, as runFromLibrary().
/// @param keywords  a dict; null: none
void callFromLibrary(const Held& function, const Held& keywords = nullptr);

/// Returns true in a call of callFromLibrary() once the interpreter is ending: waits must stop.
bool mustStopWaiting();

/// Ends all calls from the library: waits, without the GIL, for the running ones, and refuses
/// later ones.
void endCallsFromLibrary();

} // namespace kp::python
