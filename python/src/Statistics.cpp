// SPDX-License-Identifier: Apache-2.0
//
// Times of launches, and which launches are traced and profiled.
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "Held.hpp"
#include "Module.hpp"

namespace kp::python {
namespace {

void setTraceOutputTo(const py::object& output) {
    if (output.is_none()) {
        setTraceOutput({});
        return;
    }
    if (!PyCallable_Check(output.ptr()))
        throw py::type_error(std::string("output is something to call, not a ") +
                             Py_TYPE(output.ptr())->tp_name);
    // Launches trace in the thread that makes them, which has the GIL.
    setTraceOutput([call = hold(output)](const std::string& line) {
        const py::gil_scoped_acquire acquire;
        py::handle(call.get())(line);
    });
}

void bindTrace(py::module_& module) {
    py::class_<TraceOptions>(module, "TraceOptions", "Which launches are traced and profiled.")
        .def(py::init([](bool traceKernels, bool noCopy, bool noAccumulate, bool profileKernels,
                         const std::string& filter) {
                 return TraceOptions{traceKernels, noCopy, noAccumulate, profileKernels, filter};
             }),
             py::kw_only(), py::arg("trace_kernels") = false, py::arg("no_copy") = false,
             py::arg("no_accumulate") = false, py::arg("profile_kernels") = false,
             py::arg("filter") = "")
        .def_readonly("trace_kernels", &TraceOptions::traceKernels,
                      "Launches are printed (KP_TRACE_KERNELS).")
        .def_readonly("no_copy", &TraceOptions::noCopy,
                      "Not those whose message begins \"enqueue_copy\" (KP_TRACE_NOCOPY).")
        .def_readonly("no_accumulate", &TraceOptions::noAccumulate,
                      "Not those with \"add<\" in their message (KP_TRACE_NOACCUMULATE).")
        .def_readonly("profile_kernels", &TraceOptions::profileKernels,
                      "profile_kernel() does something (KP_PROFILE_KERNELS).")
        .def_readonly("filter", &TraceOptions::filter,
                      "Comma-separated globs of messages; with ! in front: those not\n"
                      "(KP_TRACE_FILTER).");
    module.def("trace_options", &traceOptions,
               "The options in force; at first those of the environment.");
    module.def("set_trace_options", &setTraceOptions, py::arg("options"),
               "Puts other options in force.");
    module.def("trace_options_from_environment", &traceOptionsFromEnvironment,
               "What the environment variables say now.");
    module.def("set_trace_output", &setTraceOutputTo, py::arg("output"),
               "What is called with each line of the trace; None writes to the C library's\n"
               "standard output.");
    module.def("should_trace_kernel", &shouldTraceKernel, py::arg("kernel_msg"),
               "Whether a launch with this message is printed.");
    module.def("trace_kernel", &traceKernel, py::arg("kernel_msg"),
               "Prints the message where should_trace_kernel() says so.");
    module.def("should_profile_kernel", &shouldProfileKernel, py::arg("kernel_msg"),
               "Whether profile_kernel() does something for this message.");
}

} // namespace

void bindStatistics(py::module_& module) {
    using Statistics = KernelStatistics;
    py::class_<Statistics>(
        module, "KernelStatistics",
        "Times of the runs of one kernel, in nanoseconds. Two of them add up to\n"
        "what one that saw all runs would say; they compare by mean.")
        .def(py::init<>())
        .def("add", &Statistics::add, py::arg("nanoseconds"), py::arg("bytes") = 0, "Adds a run.")
        .def_property_readonly("count", &Statistics::count, "Runs that were timed.")
        .def_property_readonly("nruns", &Statistics::count, "The same.")
        .def_property_readonly("unprofiled", &Statistics::unprofiled, "Runs that were not timed.")
        .def_property_readonly("total", &Statistics::total, "Sum of all runs.")
        .def_property_readonly("min", &Statistics::min, "The shortest; 0 without runs.")
        .def_property_readonly("max", &Statistics::max, "The longest.")
        .def_property_readonly("mean", &Statistics::mean, "Total divided by count.")
        .def_property_readonly("variance", &Statistics::variance, "Of the runs themselves.")
        .def_property_readonly("stddev", &Statistics::stddev, "Square root of the variance.")
        .def_property_readonly("median", &Statistics::median,
                               "Of a bounded number of samples, as percentile().")
        .def("percentile", &Statistics::percentile, py::arg("percent"), "`percent` is 0 to 100.")
        .def_property_readonly("bytes", &Statistics::bytes, "Moved, for copies and fills.")
        .def_property_readonly("bytes_per_second", &Statistics::bytesPerSecond,
                               "0 where nothing was copied.")
        .def(
            "__add__", [](const Statistics& a, const Statistics& b) { return a + b; },
            py::is_operator())
        .def(
            "__iadd__",
            [](py::object self, const Statistics& other) {
                Statistics copy = other; // may be the same object
                py::cast<Statistics&>(self) += copy;
                return self;
            },
            py::is_operator())
        .def(
            "__lt__", [](const Statistics& a, const Statistics& b) { return a < b; },
            py::is_operator())
        .def("__str__", &Statistics::toString)
        .def("__repr__", [](const Statistics& statistics) {
            return "<kp.launcher.KernelStatistics " + statistics.toString() + ">";
        });
    module.def(
        "to_table", [](const StatisticsByName& statistics) { return toTable(statistics); },
        py::arg("statistics"),
        "A table with one line for each name, the longest total first. `statistics` is what\n"
        "KernelListLauncher.statistics gives.");

    py::class_<TimingSink, std::shared_ptr<TimingSink>>(
        module, "TimingSink", "Is told of each profiled launch once its times are known.");
    py::class_<FunctionProfiler, TimingSink, std::shared_ptr<FunctionProfiler>>(
        module, "FunctionProfiler",
        "Adds up the times of one function: `profiler += seconds`, or as the `profiler` of\n"
        "launchers.")
        .def(py::init<std::string>(), py::arg("name"))
        .def_property_readonly("name", &FunctionProfiler::name, "As given.")
        .def_property_readonly("total_time", &FunctionProfiler::totalTime, "Seconds.")
        .def_property_readonly("nb_calls", &FunctionProfiler::calls, "How often.")
        .def(
            "__iadd__",
            [](py::object self, double seconds) {
                py::cast<FunctionProfiler&>(self) += seconds;
                return self;
            },
            py::is_operator())
        .def("__str__", &FunctionProfiler::toString);
    bindTrace(module);
}

} // namespace kp::python
