// SPDX-License-Identifier: Apache-2.0
#include "profile/Profiler.hpp"

#include <pybind11/operators.h>

#include <kompute/launch/KernelStatistics.hpp>
#include <kompute/launch/Trace.hpp>

#include "base/Messages.hpp"

namespace kp::python {

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

} // namespace kp::python
