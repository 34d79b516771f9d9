// SPDX-License-Identifier: Apache-2.0
#include "profile/Profiler.hpp"

#include "base/Handles.hpp"
#include "base/Values.hpp"

namespace kp::python {
namespace {

/// A `with` block that is measured.
struct ScopeHandle {
    std::shared_ptr<Profiler> profiler;
    std::string name;
    std::vector<Profiler::Scope> open; ///< the same object may be entered again inside itself
};

py::object enterScope(const py::object& self) {
    auto& scope = py::cast<ScopeHandle&>(self);
    scope.open.push_back(scope.profiler->scope(scope.name));
    return self;
}

void exitScope(ScopeHandle& self, const py::args&) {
    if (!self.open.empty())
        self.open.pop_back();
}

void addDeviceSpan(Profiler& self, std::string name, std::string device, std::string queue,
                   uint64_t start, uint64_t end, uint64_t submitted) {
    self.addDeviceSpan(
        {std::move(name), std::move(device), std::move(queue), start, end, submitted});
}

void writeTrace(Profiler& self, const py::object& path) {
    const std::string file = toPath(path);
    const py::gil_scoped_release release;
    self.writeTrace(file);
}

} // namespace

void bindProfiler(py::module_& module) {
    py::class_<ProfileEntry>(module, "ProfileEntry", "One line of a profiler's table.")
        .def_readonly("name", &ProfileEntry::name, "Name of the scope, kernel or copy.")
        .def_readonly("track", &ProfileEntry::track, "\"host\", or device and queue.")
        .def_readonly("depth", &ProfileEntry::depth, "Number of enclosing scopes.")
        .def_readonly("count", &ProfileEntry::count, "Number of spans.")
        .def_readonly("total", &ProfileEntry::totalNs, "Sum of all spans in nanoseconds.")
        .def_readonly("min", &ProfileEntry::minNs, "The shortest in nanoseconds.")
        .def_readonly("max", &ProfileEntry::maxNs, "The longest in nanoseconds.")
        .def_property_readonly("mean", &ProfileEntry::meanNs, "The mean in nanoseconds.")
        .def_readonly("share", &ProfileEntry::share, "Share of the track's total, 0 to 1.")
        .def("__repr__", [](const ProfileEntry& self) {
            return formatted("<kp.ProfileEntry {} x{}>", self.name, self.count);
        });

    py::class_<ScopeHandle>(module, "ProfilerScope", "A `with` block that is measured.")
        .def("__enter__", &enterScope)
        .def("__exit__", &exitScope);

    py::class_<Profiler, TimingSink, std::shared_ptr<Profiler>>(module, "Profiler", doc(R"(
        Collects times: nested scopes of host code, and launches on devices. Prints a table, and
        writes a trace for ui.perfetto.dev. Any thread may use it.)"))
        .def(py::init<std::string, size_t>(), "name"_a = "kompute", "max_spans"_a = 1'000'000,
             doc(R"(
                 `name` is the name of the process in the trace, which keeps up to `max_spans`
                 spans.)"))
        .def(
            "now", [](const Profiler&) { return Profiler::hostNow(); },
            "Nanoseconds of the clock of all host times here.")
        .def(
            "scope",
            [](std::shared_ptr<Profiler> self, std::string name) {
                return std::make_unique<ScopeHandle>(
                    ScopeHandle{std::move(self), std::move(name), {}});
            },
            "name"_a, "Measures a `with` block, inside the open scopes of the same thread.")
        .def("name_thread", &Profiler::nameThread, "name"_a,
             "Names the calling thread's track in the trace.")
        .def("add_host_span", &Profiler::addHostSpan, "name"_a, "start"_a, "end"_a,
             "Adds host code measured elsewhere, in nanoseconds of now().")
        .def("add_device_span", &addDeviceSpan, "name"_a, "device"_a, "queue"_a, "start"_a, "end"_a,
             "submitted"_a = 0, doc(R"(
                 Adds work of a device, in its nanoseconds (Sequence.get_timestamps_ns()), and its
                 submission, in those of now(), if known.)"))
        .def(
            "calibrate",
            [](Profiler& self, const std::string& device, const py::object& manager) {
                return self.calibrate(device, *handleOf<ManagerHandle>(manager, "manager").manager);
            },
            "device"_a, "manager"_a, doc(R"(
                Relates the clock of the manager's device, called `device`, to the host's; False if
                the device does not support it.)"))
        .def("entries", &Profiler::entries, "The lines of the table.")
        .def("table", &Profiler::table,
             "Count, total, mean, min, max and share of each name, as text.")
        .def("trace", &Profiler::trace, py::call_guard<py::gil_scoped_release>(),
             "The trace, JSON in Chrome's format.")
        .def("write_trace", &writeTrace, "path"_a, "Writes the trace to a file.")
        .def_property_readonly("span_count", &Profiler::spanCount, "Spans in the trace.")
        .def_property_readonly("dropped_spans", &Profiler::droppedSpans,
                               "Spans beyond max_spans; the table counts them.")
        .def("merge", &Profiler::merge, "other"_a, "Adds the times of another profiler.")
        .def("clear", &Profiler::clear, "Discards everything except open scopes.");
}

} // namespace kp::python
