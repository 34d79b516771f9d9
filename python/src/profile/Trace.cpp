// SPDX-License-Identifier: Apache-2.0
#include "profile/Profiler.hpp"

#include <kompute/launch/Trace.hpp>

#include "base/Held.hpp"

namespace kp::python {
namespace {

void setTraceOutputTo(const py::object& output) {
    if (output.is_none()) {
        setTraceOutput({});
        return;
    }
    // Launches trace in the thread that makes them, which has the GIL.
    setTraceOutput([call = holdFunction(output, "output")](const std::string& line) {
        const py::gil_scoped_acquire acquire;
        py::handle(call.get())(line);
    });
}

} // namespace

void bindTrace(py::module_& module) {
    py::class_<TraceOptions>(module, "TraceOptions",
                             "Selects the launches that are traced and profiled.")
        .def(py::init([](bool traceKernels, bool noCopy, bool noAccumulate, bool profileKernels,
                         const std::string& filter) {
                 return TraceOptions{traceKernels, noCopy, noAccumulate, profileKernels, filter};
             }),
             py::kw_only(), "trace_kernels"_a = false, "no_copy"_a = false,
             "no_accumulate"_a = false, "profile_kernels"_a = false, "filter"_a = "")
        .def_readonly("trace_kernels", &TraceOptions::traceKernels,
                      "Prints launches (KP_TRACE_KERNELS).")
        .def_readonly("no_copy", &TraceOptions::noCopy,
                      "Skips those whose message begins \"enqueue_copy\" (KP_TRACE_NOCOPY).")
        .def_readonly("no_accumulate", &TraceOptions::noAccumulate,
                      "Skips those with \"add<\" in their message (KP_TRACE_NOACCUMULATE).")
        .def_readonly("profile_kernels", &TraceOptions::profileKernels,
                      "Switches profile_kernel() on (KP_PROFILE_KERNELS).")
        .def_readonly("filter", &TraceOptions::filter, doc(R"(
            Comma-separated globs that select messages; a leading ! excludes them (KP_TRACE_FILTER).
        )"));
    module.def("trace_options", &traceOptions,
               "The current options; initially those of the environment.");
    module.def("set_trace_options", &setTraceOptions, "options"_a, "Replaces the current options.");
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

} // namespace kp::python
