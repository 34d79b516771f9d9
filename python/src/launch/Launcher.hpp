// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

/// The classes of kp.launcher. Launchers are called with the GIL held, which makes a call atomic
/// for other threads, too; Python code that a call runs (generators, launchers of the user) must
/// not call the same launcher.
namespace kp::python {

using OptionalSink = std::optional<std::shared_ptr<TimingSink>>; ///< as signatures name it

/// A parameter of a launcher, and the conversion of its Python values.
struct ParameterSpec {
    std::string name;
    std::string launcher;    ///< that takes it, for messages
    KernelArgument expected; ///< of kernels
    bool anything = false;   ///< passed as a Python object, without conversion
};

/// What launchers and lists have in common for calls.
struct Callable {
    std::vector<ParameterSpec> specs;
    bool busy = false; ///< in a call
};

/// A kp.launcher.Launcher. Each class has a type of handle, by which pybind11 tells them apart.
struct LauncherHandle : Callable {
    std::shared_ptr<Launcher> launcher;
    bool checks = false; ///< the class has a check_kernel_arg of its own
    bool ready = true;   ///< false: prepare() has work to do

    virtual ~LauncherHandle() = default;
    /// Prepares a launch on @p queue: work that must not run with the GIL held. @p queue may be
    /// null.
    virtual void prepare(const std::shared_ptr<Queue>& /*queue*/,
                         const std::vector<Event>& /*waitFor*/) {}
};

/// A kp.launcher.OpenClKernelLauncherI or kp.launcher.HostLauncherI, from which users derive.
struct KernelInterfaceHandle : LauncherHandle {};
struct HostInterfaceHandle : LauncherHandle {};

struct ListHandle : Callable {
    std::shared_ptr<KernelListLauncher> list;
    py::list members;                     ///< the Python objects of its launchers
    bool checked = false;                 ///< one of them has a check_kernel_arg of its own
    std::vector<LauncherHandle*> unready; ///< members to prepare in the next call

    /// Prepares the members of `unready`.
    void prepare(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor);
};

/// Stores the conversions of the parameters.
void setSpecs(LauncherHandle& handle, const KernelSignature& signature, const ParametersMap& map);

/// Declares a class of launchers or lists. Its objects have room for a function behind pybind11's
/// part, by which CPython calls them without a lookup of __call__. Classes derived in Python call
/// their own __call__. Before Python 3.12, replacing __call__ of the class itself does not affect
/// objects that were called before.
template <typename... Types>
py::class_<Types...> callableClass(py::module_& module, const char* name,
                                   const char* documentation) {
    return {module, name, documentation, py::custom_type_setup([](PyHeapTypeObject* heap) {
                PyTypeObject& type = heap->ht_type;
                type.tp_vectorcall_offset = type.tp_basicsize;
                type.tp_basicsize += static_cast<Py_ssize_t>(sizeof(vectorcallfunc));
            })};
}

/// Returns the launcher that a list runs for a Python launcher: its own, or one that calls a
/// __call__ defined in Python.
std::shared_ptr<Launcher> launcherForList(py::handle object);

/// Binds what times launches: KernelStatistics, TimingSink, traces and Profiler.
void bindProfiler(py::module_& module);
/// Binds Kernel, which comes before Launcher.
void bindKernel(py::module_& module);
/// Binds Launcher, HostLauncher, and the classes that users derive from.
void bindLauncher(py::module_& module);
/// Binds KernelLauncher, ParametrizedKernelLauncher and IterativeKernelLauncher.
void bindKernelLauncher(py::module_& module);
void bindKernelListLauncher(py::module_& module);
/// Binds CopyLauncher, FillLauncher and PrimitiveLauncher.
void bindCopyLauncher(py::module_& module);
void bindRepeatLauncher(py::module_& module);
void bindTunedKernelLauncher(py::module_& module);

} // namespace kp::python
