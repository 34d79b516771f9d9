// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Module.hpp"

namespace kp::python {
namespace {

/// A `with` block that is measured.
struct ScopeHandle {
    std::shared_ptr<Profiler> profiler;
    std::string name;
    std::vector<Profiler::Scope> open; ///< the same object may be entered again inside itself
};

} // namespace

void bindProfiler(py::module_& module) {
    py::class_<ProfileEntry>(module, "ProfileEntry", "One line of a profiler's table.")
        .def_readonly("name", &ProfileEntry::name, "Of the scope, kernel or copy.")
        .def_readonly("track", &ProfileEntry::track, "\"host\", or device and queue.")
        .def_readonly("depth", &ProfileEntry::depth, "Scopes around it.")
        .def_readonly("count", &ProfileEntry::count, "How often.")
        .def_readonly("total", &ProfileEntry::totalNs, "Nanoseconds together.")
        .def_readonly("min", &ProfileEntry::minNs, "Nanoseconds of the shortest.")
        .def_readonly("max", &ProfileEntry::maxNs, "Nanoseconds of the longest.")
        .def_property_readonly("mean", &ProfileEntry::meanNs, "Nanoseconds on average.")
        .def_readonly("share", &ProfileEntry::share, "Of the track's total, 0 to 1.")
        .def("__repr__", [](const ProfileEntry& self) {
            return "<kp.ProfileEntry " + self.name + " x" + std::to_string(self.count) + ">";
        });

    py::class_<ScopeHandle>(module, "ProfilerScope", "A `with` block that is measured.")
        .def("__enter__",
             [](const py::object& self) {
                 auto& scope = py::cast<ScopeHandle&>(self);
                 scope.open.push_back(scope.profiler->scope(scope.name));
                 return self;
             })
        .def("__exit__", [](ScopeHandle& self, const py::args&) {
            if (!self.open.empty())
                self.open.pop_back();
        });

    py::class_<Profiler, TimingSink, std::shared_ptr<Profiler>>(
        module, "Profiler",
        "Collects where the time goes: nested scopes of host code, and launches on devices. "
        "Prints\n"
        "a table, and writes a trace for ui.perfetto.dev. Any thread may use it.")
        .def(py::init<std::string, size_t>(), py::arg("name") = "kompute",
             py::arg("max_spans") = 1'000'000,
             "`name` is that of the process in the trace, which keeps up to `max_spans` spans.")
        .def(
            "now", [](const Profiler&) { return Profiler::hostNow(); },
            "Nanoseconds of the clock of all host times here.")
        .def(
            "scope",
            [](std::shared_ptr<Profiler> self, std::string name) {
                return std::make_unique<ScopeHandle>(
                    ScopeHandle{std::move(self), std::move(name), {}});
            },
            py::arg("name"), "Measures a `with` block, inside those that the same thread has open.")
        .def("name_thread", &Profiler::nameThread, py::arg("name"),
             "The calling thread's track in the trace.")
        .def("add_host_span", &Profiler::addHostSpan, py::arg("name"), py::arg("start"),
             py::arg("end"), "Host code that was measured elsewhere, in nanoseconds of now().")
        .def(
            "add_device_span",
            [](Profiler& self, std::string name, std::string device, std::string queue,
               uint64_t start, uint64_t end, uint64_t submitted) {
                self.addDeviceSpan(
                    {std::move(name), std::move(device), std::move(queue), start, end, submitted});
            },
            py::arg("name"), py::arg("device"), py::arg("queue"), py::arg("start"), py::arg("end"),
            py::arg("submitted") = 0,
            "Work of a device, in its nanoseconds (Sequence.get_timestamps_ns()), and when it was\n"
            "submitted, in those of now(), where that is known.")
        .def(
            "calibrate",
            [](Profiler& self, const std::string& device, const py::object& manager) {
                return self.calibrate(device, *handleOf<ManagerHandle>(manager, "manager").manager);
            },
            py::arg("device"), py::arg("manager"),
            "Relates the clock of the manager's device, called `device`, to the host's; False "
            "where\n"
            "the device cannot.")
        .def("entries", &Profiler::entries, "The lines of the table.")
        .def("table", &Profiler::table,
             "Count, total, mean, min, max and share of each name, as text.")
        .def("trace", &Profiler::trace, py::call_guard<py::gil_scoped_release>(),
             "The trace, JSON in Chrome's format.")
        .def(
            "write_trace",
            [](Profiler& self, const py::object& path) {
                const auto file =
                    py::cast<std::string>(py::module_::import("os").attr("fspath")(path));
                const py::gil_scoped_release release;
                self.writeTrace(file);
            },
            py::arg("path"), "Writes the trace to a file.")
        .def_property_readonly("span_count", &Profiler::spanCount, "Spans that the trace has.")
        .def_property_readonly("dropped_spans", &Profiler::droppedSpans,
                               "Spans that were too many for the trace; the table has them.")
        .def("merge", &Profiler::merge, py::arg("other"), "Adds what another profiler collected.")
        .def("clear", &Profiler::clear, "Forgets everything but open scopes.");
}

} // namespace kp::python
