// SPDX-License-Identifier: Apache-2.0
#include "launch/Launcher.hpp"

#include "launch/PythonLauncher.hpp"

namespace kp::python {
namespace {

std::unique_ptr<LauncherHandle> makeLauncher(const std::string& name,
                                             const OptionalSink& profiler) {
    auto handle = std::make_unique<LauncherHandle>();
    handle->launcher = std::make_shared<PythonLauncher>(name, profiler.value_or(nullptr));
    return handle;
}

Launcher& launcherOf(py::handle object) {
    return *handleOf<LauncherHandle>(object).launcher;
}

/// Returns true for classes defined in Python, whose methods the C++ side calls.
bool isPython(py::handle object) {
    return dynamic_cast<PythonLauncher*>(&launcherOf(object)) != nullptr;
}

Event callUndefined(py::handle self, const py::args&, const py::kwargs&) {
    PyErr_Format(PyExc_NotImplementedError, "%s must define __call__()", typeNameOf(self));
    throw py::error_already_set();
}

py::dict parametersOf(py::handle self) {
    py::dict types;
    if (isPython(self))
        return types;
    for (const ParameterInfo& info : launcherOf(self).parameters())
        types[info.name.c_str()] = info.type;
    return types;
}

} // namespace

void bindLauncher(py::module_& module) {
    py::class_<LauncherHandle> type(module, "Launcher", doc(R"(
        Base of everything that can be launched on a queue. A call returns an event at once.
    )"));
    setType<LauncherHandle>(type);
    type.def(py::init(&makeLauncher), py::arg("name"), py::arg("profiler") = py::none())
        .def("__call__", &callUndefined, doc(R"(
            Launches and returns the event. Derived classes define it, with the keywords queue and
            wait_for and their parameters.
        )"))
        .def_property_readonly(
            "name", [](py::handle self) { return launcherOf(self).name(); },
            "Its name in errors, trace and statistics.")
        .def(
            "global_size_configured",
            [](py::handle self) {
                return isPython(self) || launcherOf(self).globalSizeConfigured();
            },
            "Whether calls need no global size.")
        .def("parameters", &parametersOf, "Names and types of the parameters of a call.")
        .def_property_readonly(
            "events", [](py::handle self) { return launcherOf(self).events(); },
            "Profiled launches since the last `statistics`, and those that were unfinished then.")
        .def_property_readonly(
            "statistics", [](py::handle self) { return launcherOf(self).statistics(); }, doc(R"(
                Times of all profiled launches that have finished. Never waits: unfinished launches
                stay in `events` and are counted by a later read.
            )"))
        .def(
            "clear_statistics", [](py::handle self) { launcherOf(self).clearStatistics(); },
            "Discards all times and events.")
        .def(
            "_register_event",
            [](py::handle self, const Event& event) { launcherOf(self).addLaunch(event); },
            py::arg("event"), "Adds an event to `events`; for derived classes.")
        .def("__repr__", [](py::handle self) {
            return formatted("<kp.launcher.{} '{}'>", typeNameOf(self), launcherOf(self).name());
        });
}

} // namespace kp::python
