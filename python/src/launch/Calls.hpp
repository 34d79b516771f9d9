// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch/Launcher.hpp"

/// How CPython calls launchers and lists: keywords, parameters and profiling.
namespace kp::python {

/// The keywords of a launcher's call besides its parameters.
enum class CallForm {
    ePlain,   ///< queue and wait_for
    eSized,   ///< sizes, too
    eIterated ///< enqueue_barrier and sizes, too
};
/// Gives a class of launchers its __call__.
void setCall(py::handle type, CallForm form);
/// Gives the class of lists its __call__.
void setListCall(py::handle type);

/// The arguments of the call that runs in this thread, for launchers that take Python objects.
struct RunningCall {
    RunningCall(PyObject* queueOfCall, Callable& callable);
    ~RunningCall();
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;

    /// Returns null if none runs.
    static RunningCall* current();
    /// Returns a borrowed reference; null if the argument was not given.
    PyObject* find(const std::string& name) const;

    PyObject* queue; ///< borrowed
    std::vector<std::pair<std::string, PyObject*>> given;

private:
    Callable& mCallable;
    RunningCall* mOuter;
};

/// Returns the parameters of a call by name, and prepares the call.
/// @throws TypeError, ValueError naming the launcher and the parameter
Parameters prepareCall(LauncherHandle& handle, const py::dict& parameters);
Parameters prepareCall(ListHandle& handle, const py::dict& parameters);

/// Returns false for classes defined in Python.
bool isLibraryType(PyTypeObject* type);

/// Notices a check_kernel_arg that a derived class defines.
void noteOwnCheck(py::handle object, LauncherHandle& handle);

} // namespace kp::python
