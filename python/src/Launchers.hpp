// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Events.hpp"

/// What kp.launcher consists of. Launchers are called with the GIL held, which makes a call one
/// piece for other threads, too; Python code that a call runs (generators, launchers of the user)
/// must not call the same launcher.
namespace kp::python {

/// A parameter of a launcher: what Python values are converted to.
struct ParameterSpec {
    std::string name;
    std::string launcher;    ///< that takes it, for messages
    KernelArgument expected; ///< of kernels
    bool anything = false;   ///< taken as the Python object that it is
};

/// What launchers and lists have in common for calls.
struct Callable {
    std::vector<ParameterSpec> specs;
    std::deque<Event> recent; ///< launches that may still run
    bool busy = false;        ///< in a call
};

/// A kp.launcher.Launcher.
struct LauncherHandle : Callable {
    std::shared_ptr<Launcher> launcher;
    bool checks = false; ///< the class has a check_kernel_arg of its own

    virtual ~LauncherHandle() = default;
};

/// A kp.launcher.KernelListLauncher.
struct ListHandle : Callable {
    std::shared_ptr<KernelListLauncher> list;
    py::list members;     ///< the Python objects of its launchers
    bool checked = false; ///< one of them has a check_kernel_arg of its own
};

/// The arguments of the call that runs in this thread, for launchers that take Python objects.
struct RunningCall {
    RunningCall(PyObject* queueOfCall, Callable& callable);
    ~RunningCall();
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;

    /// Null where none runs.
    static RunningCall* current();
    /// Borrowed; null where it was not given.
    PyObject* find(const std::string& name) const;

    PyObject* queue; ///< borrowed
    std::vector<std::pair<std::string, PyObject*>> given;

private:
    Callable& mCallable;
    RunningCall* mOuter;
};

/// Adds a named argument of a call.
void addParameter(Parameters& parameters, RunningCall& call, const Callable& callable,
                  PyObject* name, PyObject* value);

/// Bounds the launches in flight before the library has to, which would wait with the GIL.
void limitInFlight(Callable& callable);
void noteInFlight(Callable& callable, const Event& event);

/// A Python value for an argument of a kernel. @param expected  null: unknown
/// @throws InvalidArgument naming the launcher and the argument
ArgumentValue toArgument(py::handle value, const KernelArgument* expected,
                         const std::string& launcher, const std::string& name);
/// Null for None.
std::shared_ptr<Queue> toQueue(py::handle queue, const char* argument);
std::optional<WorkSize> toWorkSize(py::handle size, const char* argument);
py::object fromWorkSize(const std::optional<WorkSize>& size);
/// One end of a copy: a tensor, an image, or an array of host memory.
CopyEnd toCopyEnd(py::handle object, const char* argument, bool written);
/// Of a dtype-like; eUnknown for None, text and classes of memory.
shader::ScalarType toScalarType(py::handle type);

/// What a list holds for a Python launcher: its own, or one that calls a __call__ made in Python.
std::shared_ptr<Launcher> launcherForList(py::handle object);
/// Lets a check_kernel_arg made in Python look at a parameter.
void checkOwnParameter(PyObject* self, PyObject* name, PyObject* value);

} // namespace kp::python
