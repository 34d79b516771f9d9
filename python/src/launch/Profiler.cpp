// SPDX-License-Identifier: Apache-2.0
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "launch/Launcher.hpp"

#include <pybind11/operators.h>

#include <kompute/launch/LaunchProfile.hpp>
#include <kompute/launch/Trace.hpp>

namespace kp::python {
namespace {

void bindKernelStatistics(py::module_& module) {
    using Statistics = KernelStatistics;
    py::class_<Statistics>(module, "KernelStatistics", doc(R"(
        Times of the runs of one kernel, in nanoseconds. The sum of two equals the statistics of all
        their runs; they compare by mean.)"))
        .def(py::init<>())
        .def("add", &Statistics::add, "nanoseconds"_a, "bytes"_a = 0, "Adds a run.")
        .def_property_readonly("count", &Statistics::count, "Runs that were timed.")
        .def_property_readonly("nruns", &Statistics::count, "Same as count.")
        .def_property_readonly("unprofiled", &Statistics::unprofiled, "Runs that were not timed.")
        .def_property_readonly("total", &Statistics::total, "Sum of all runs.")
        .def_property_readonly("min", &Statistics::min, "The shortest run; 0 without runs.")
        .def_property_readonly("max", &Statistics::max, "The longest run.")
        .def_property_readonly("mean", &Statistics::mean, "Total divided by count.")
        .def_property_readonly("variance", &Statistics::variance, "Variance of all runs.")
        .def_property_readonly("stddev", &Statistics::stddev, "Square root of the variance.")
        .def_property_readonly("median", &Statistics::median,
                               "Median of a bounded number of samples, as percentile().")
        .def("percentile", &Statistics::percentile, "percent"_a, "`percent` is 0 to 100.")
        .def_property_readonly("bytes", &Statistics::bytes,
                               "Bytes transferred by copies and fills.")
        .def_property_readonly("bytes_per_second", &Statistics::bytesPerSecond,
                               "Throughput; 0 if nothing was transferred.")
        .def(
            "__add__", [](const Statistics& a, const Statistics& b) { return a + b; },
            py::is_operator())
        .def(
            "__iadd__",
            [](py::object self, const Statistics& other) {
                const Statistics copy = other; // may be the same object
                py::cast<Statistics&>(self) += copy;
                return self;
            },
            py::is_operator())
        .def(
            "__lt__", [](const Statistics& a, const Statistics& b) { return a < b; },
            py::is_operator())
        .def("__str__", &Statistics::toString)
        .def("__repr__", [](const Statistics& statistics) {
            return formatted("<kp.launcher.KernelStatistics {}>", statistics.toString());
        });
    module.def(
        "to_table", [](const StatisticsByName& statistics) { return toTable(statistics); },
        "statistics"_a, doc(R"(
            A table with one line for each name, the longest total first. `statistics` is
            KernelListLauncher.statistics.)"));

    py::class_<TimingSink, std::shared_ptr<TimingSink>>(
        module, "TimingSink", "Is notified of each profiled launch once its times are known.");
    py::class_<FunctionProfiler, TimingSink, std::shared_ptr<FunctionProfiler>>(
        module, "FunctionProfiler", doc(R"(
            Sums the times of one function: `profiler += seconds`, or as the `profiler` of
            launchers.)"))
        .def(py::init<std::string>(), "name"_a)
        .def_property_readonly("name", &FunctionProfiler::name, "As given.")
        .def_property_readonly("total_time", &FunctionProfiler::totalTime, "Seconds.")
        .def_property_readonly("nb_calls", &FunctionProfiler::calls, "Number of calls.")
        .def(
            "__iadd__",
            [](py::object self, double seconds) {
                py::cast<FunctionProfiler&>(self) += seconds;
                return self;
            },
            py::is_operator())
        .def("__str__", &FunctionProfiler::toString);
}

void setTraceOutputTo(const py::object& output) {
    if (output.is_none()) {
        setTraceOutput({});
        return;
    }
    // Launches trace in the thread that makes them, which has the GIL.
    setTraceOutput([call = holdFunction(output, "output")](const std::string& line) {
        const AcquireGil acquire;
        py::handle(call.get())(line);
    });
}

void changeTraceOptions(const std::optional<TraceOptions>& options,
                        const std::optional<bool>& traceKernels, const std::optional<bool>& noCopy,
                        const std::optional<bool>& noAccumulate,
                        const std::optional<bool>& profileKernels,
                        const std::optional<std::string>& filter) {
    const TraceOptions base = options ? *options : traceOptions();
    setTraceOptions({traceKernels.value_or(base.traceKernels), noCopy.value_or(base.noCopy),
                     noAccumulate.value_or(base.noAccumulate),
                     profileKernels.value_or(base.profileKernels), filter.value_or(base.filter)});
}

void bindTrace(py::module_& module) {
    py::class_<TraceOptions>(module, "TraceOptions",
                             "Selects the launches that are traced and profiled.")
        .def(py::init([](bool traceKernels, bool noCopy, bool noAccumulate, bool profileKernels,
                         const std::string& filter) {
                 return TraceOptions{traceKernels, noCopy, noAccumulate, profileKernels, filter};
             }),
             py::kw_only(), "trace_kernels"_a = false, "no_copy"_a = false,
             "no_accumulate"_a = false, "profile_kernels"_a = false, "filter"_a = "")
        .def_readwrite("trace_kernels", &TraceOptions::traceKernels,
                       "Prints launches (KP_TRACE_KERNELS).")
        .def_readwrite("no_copy", &TraceOptions::noCopy,
                       "Skips those whose message begins \"enqueue_copy\" (KP_TRACE_NOCOPY).")
        .def_readwrite("no_accumulate", &TraceOptions::noAccumulate,
                       "Skips those with \"add<\" in their message (KP_TRACE_NOACCUMULATE).")
        .def_readwrite("profile_kernels", &TraceOptions::profileKernels,
                       "Switches profile_kernel() on (KP_PROFILE_KERNELS).")
        .def_readwrite("filter", &TraceOptions::filter, doc(R"(
            Comma-separated globs that select messages; a leading ! excludes them (KP_TRACE_FILTER).
        )"));
    module.def("trace_options", &traceOptions,
               "A copy of the current options, initially from the environment.");
    module.def("set_trace_options", &changeTraceOptions, "options"_a = py::none(), py::kw_only(),
               "trace_kernels"_a = py::none(), "no_copy"_a = py::none(),
               "no_accumulate"_a = py::none(), "profile_kernels"_a = py::none(),
               "filter"_a = py::none(), doc(R"(
        Changes the options that are given by name, and takes all others from `options`, by default
        the current ones.)"));
    module.def("trace_options_from_environment", &traceOptionsFromEnvironment,
               "The options in the environment variables now.");
    module.def("set_trace_output", &setTraceOutputTo, "output"_a, doc(R"(
        Sets the function that is called with each line of the trace; None writes to the C library's
        standard output.)"));
    module.def("should_trace_kernel", &shouldTraceKernel, "kernel_msg"_a,
               "Whether a launch with this message is printed.");
    module.def("trace_kernel", &traceKernel, "kernel_msg"_a,
               "Prints the message if should_trace_kernel() returns True for it.");
    module.def("should_profile_kernel", &shouldProfileKernel, "kernel_msg"_a,
               "Whether profile_kernel() does something for this message.");
}

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

/// A `with` block whose launches are timed.
struct LaunchProfileHandle {
    std::shared_ptr<Profiler> profiler;
    py::object device;
    std::unique_ptr<LaunchProfile> open;
};

std::shared_ptr<Queue> profiledQueue(const py::object& device) {
    if (isA<QueueHandle>(device))
        return handleOf<QueueHandle>(device, "device").queue;
    const py::object manager = device.is_none() ? ofPackage("default_manager")() : device;
    return handleOf<ManagerHandle>(manager, "device").manager->defaultQueue();
}

py::object enterLaunches(const py::object& self) {
    auto& handle = py::cast<LaunchProfileHandle&>(self);
    if (handle.open)
        throw InvalidArgument("this `with` block is open already; call Profiler.launches() again");
    handle.open = std::make_unique<LaunchProfile>(profiledQueue(handle.device), handle.profiler);
    return self;
}

void exitLaunches(LaunchProfileHandle& self, const py::args&) {
    const std::unique_ptr<LaunchProfile> ended = std::move(self.open);
    const ReleaseGil release;
    if (ended)
        ended->end();
}

void addDeviceSpan(Profiler& self, std::string name, std::string device, std::string queue,
                   uint64_t start, uint64_t end, uint64_t submitted) {
    self.addDeviceSpan(
        {std::move(name), std::move(device), std::move(queue), start, end, submitted});
}

void writeTrace(Profiler& self, const py::object& path) {
    const std::string file = toPath(path);
    const ReleaseGil release;
    self.writeTrace(file);
}

} // namespace

void bindProfiler(py::module_& module) {
    bindKernelStatistics(module);
    bindTrace(module);
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

    py::class_<LaunchProfileHandle>(module, "LaunchProfile",
                                    "A `with` block whose launches are timed.")
        .def("__enter__", &enterLaunches)
        .def("__exit__", &exitLaunches);

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
        .def(
            "launches",
            [](std::shared_ptr<Profiler> self, py::object device) {
                return std::make_unique<LaunchProfileHandle>(
                    LaunchProfileHandle{std::move(self), std::move(device), nullptr});
            },
            "device"_a = py::none(), doc(R"(
                Times the launches in a `with` block, which then waits for them: of arrays, by their
                functions; of operations; and of launchers without a profiler. `device` is a manager
                (its default queue, which arrays use) or a queue; default: default_manager().)"))
        .def("name_thread", &Profiler::nameThread, "name"_a,
             "Names the calling thread's track in the trace.")
        .def("add_host_span", &Profiler::addHostSpan, "name"_a, "start"_a, "end"_a,
             "Adds host code measured elsewhere, in nanoseconds of now().")
        .def("add_device_span", &addDeviceSpan, "name"_a, "device"_a, "queue"_a, "start"_a, "end"_a,
             "submitted"_a = 0, doc(R"(
                 Adds work of a device, in its nanoseconds (Sequence.get_timestamps_ns()), and its
                 submission, in nanoseconds of now(), if known.)"))
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
        .def("trace", &Profiler::trace, py::call_guard<ReleaseGil>(),
             "The trace, JSON in Chrome's format.")
        .def("write_trace", &writeTrace, "path"_a, "Writes the trace to a file.")
        .def_property_readonly("span_count", &Profiler::spanCount, "Spans in the trace.")
        .def_property_readonly("dropped_spans", &Profiler::droppedSpans,
                               "Spans beyond max_spans; the table counts them.")
        .def("merge", &Profiler::merge, "other"_a, "Adds the times of another profiler.")
        .def("clear", &Profiler::clear, "Discards everything except open scopes.");
}

} // namespace kp::python
