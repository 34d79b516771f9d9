// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "LauncherClasses.hpp"
#include "Module.hpp"
#include "PythonLauncher.hpp"
#include "launch/RunLog.hpp"

namespace kp::python {
namespace {

std::unique_ptr<LauncherHandle> makeOwn(const std::string& name, const OptionalSink& profiler) {
    auto handle = std::make_unique<LauncherHandle>();
    handle->launcher = std::make_shared<PythonLauncher>(name, profiler.value_or(nullptr));
    return handle;
}

Launcher& launcherOf(py::handle object) {
    return *handleOf<LauncherHandle>(object).launcher;
}

/// True for classes made in Python, whose C++ side asks them.
bool isPython(py::handle object) {
    return dynamic_cast<PythonLauncher*>(&launcherOf(object)) != nullptr;
}

void bindBase(py::class_<LauncherHandle>& type) {
    type.def(py::init(&makeOwn), py::arg("name"), py::arg("profiler") = py::none())
        .def(
            "__call__",
            [](py::handle self, const py::args&, const py::kwargs&) -> Event {
                PyErr_Format(PyExc_NotImplementedError, "%s must define __call__()",
                             Py_TYPE(self.ptr())->tp_name);
                throw py::error_already_set();
            },
            "Launches and returns the event. Classes of one's own define it, with the keywords\n"
            "queue and wait_for and their parameters.")
        .def_property_readonly(
            "name", [](py::handle self) { return launcherOf(self).name(); },
            "Its name in errors, trace and statistics.")
        .def(
            "global_size_configured",
            [](py::handle self) {
                return isPython(self) || launcherOf(self).globalSizeConfigured();
            },
            "Whether a call needs no global size.")
        .def(
            "parameters",
            [](py::handle self) {
                py::dict types;
                if (isPython(self))
                    return types;
                for (const ParameterInfo& info : launcherOf(self).parameters())
                    types[info.name.c_str()] = info.type;
                return types;
            },
            "Names and types of the parameters that calls take.")
        .def_property_readonly(
            "events", [](py::handle self) { return launcherOf(self).events(); },
            "Profiled launches since `statistics` was read last, and those unfinished then.")
        .def_property_readonly(
            "statistics", [](py::handle self) { return launcherOf(self).statistics(); },
            "Times of all profiled runs that are done by now. Never waits; what is unfinished\n"
            "stays in `events` and counts the next time.")
        .def(
            "clear_statistics", [](py::handle self) { launcherOf(self).clearStatistics(); },
            "Starts anew, without the events so far.")
        .def(
            "_register_event",
            [](py::handle self, const Event& event) { launcherOf(self).runLog().add(event, 0); },
            py::arg("event"), "Adds an event to `events`; for launchers of one's own.")
        .def("__repr__", [](py::handle self) {
            return std::string("<kp.launcher.") + Py_TYPE(self.ptr())->tp_name + " '" +
                   launcherOf(self).name() + "'>";
        });
}

} // namespace

void bindLaunchers(py::module_& module) {
    bindKernel(module);

    py::class_<LauncherHandle> base(module, "Launcher",
                                    "Something that is launched on a queue. A call returns at\n"
                                    "once, with an event.");
    gType<LauncherHandle> = reinterpret_cast<PyTypeObject*>(base.ptr());
    bindBase(base);

    bindHostLauncher(module);
    bindKernelLauncher(module);
    bindParametrizedKernelLauncher(module);
    bindIterativeKernelLauncher(module);
    bindCopyLauncher(module);
    bindFillLauncher(module);
}

} // namespace kp::python
