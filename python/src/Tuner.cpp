// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Memory.hpp"
#include "Module.hpp"
#include "Tuning.hpp"

namespace kp::python {
namespace {

/// A kp.TuningResult.
struct ResultHandle {
    TuningResult result; ///< without its algorithm
    py::object algorithm;
};

template <typename Value>
struct Named {
    const char* name;
    Value value;
};

constexpr Named<TuningEffort> kEfforts[] = {{"estimate", TuningEffort::eEstimate},
                                            {"measure", TuningEffort::eMeasure},
                                            {"patient", TuningEffort::ePatient},
                                            {"exhaustive", TuningEffort::eExhaustive}};
constexpr Named<TuningTime> kTimes[] = {
    {"auto", TuningTime::eAuto}, {"device", TuningTime::eDevice}, {"host", TuningTime::eHost}};
constexpr Named<TuningResult::Source> kSources[] = {{"measured", TuningResult::Source::eMeasured},
                                                    {"cache", TuningResult::Source::eCache},
                                                    {"nearest", TuningResult::Source::eNearest},
                                                    {"estimate", TuningResult::Source::eEstimate}};
constexpr Named<TuningRecord::Status> kStatuses[] = {{"measured", TuningRecord::Status::eMeasured},
                                                     {"wrong", TuningRecord::Status::eWrong},
                                                     {"failed", TuningRecord::Status::eFailed},
                                                     {"skipped", TuningRecord::Status::eSkipped}};

template <typename Value, size_t N>
Value valueOf(const Named<Value> (&all)[N], const std::string& name, const char* argument) {
    std::string known;
    for (const Named<Value>& each : all) {
        if (name == each.name)
            return each.value;
        known += std::string(known.empty() ? "" : ", ") + "\"" + each.name + "\"";
    }
    throw py::value_error(std::string(argument) + " is one of " + known + ", not \"" + name + "\"");
}

template <typename Value, size_t N>
std::string nameOf(const Named<Value> (&all)[N], Value value) {
    for (const Named<Value>& each : all)
        if (each.value == value)
            return each.name;
    return "";
}

/// Ctrl-C is noticed between configurations, whoever asks for progress.
TuningCallback progressOf(const py::object& progress) {
    TuningCallback bar;
    std::optional<PythonFunction> function;
    if (progress.ptr() == Py_True)
        bar = consoleProgress();
    else if (!progress.is_none() && progress.ptr() != Py_False)
        function = PythonFunction(progress, "progress");
    return [bar, function](const TuningProgress& state) {
        const py::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
        if (bar)
            return bar(state);
        return !function || (*function)(state).ptr() != Py_False;
    };
}

std::string pathOf(const py::object& path) {
    return py::cast<std::string>(py::module_::import("os").attr("fspath")(path));
}

std::unique_ptr<AutotunerHandle> makeTuner(const py::object& manager, const std::string& effort,
                                           double budget, const std::string& time,
                                           const py::object& cacheFolder, double lockTimeout,
                                           bool subgroupMultiple, bool remeasure, uint32_t runs,
                                           uint32_t seed, const py::object& progress) {
    handleOf<ManagerHandle>(manager, "manager");
    AutotunerOptions options;
    options.effort = valueOf(kEfforts, effort, "effort");
    options.budgetSeconds = budget;
    options.time = valueOf(kTimes, time, "time");
    options.cacheFolder = pathOf(cacheFolder);
    options.lockSeconds = lockTimeout;
    options.subgroupMultiple = subgroupMultiple;
    options.remeasure = remeasure;
    options.runs = runs;
    options.seed = seed;
    options.progress = progressOf(progress);
    auto handle = std::make_unique<AutotunerHandle>();
    handle->manager = py::cast<std::shared_ptr<ManagerHandle>>(manager);
    handle->tuner = std::make_shared<Autotuner>(*handle->manager->manager, std::move(options));
    return handle;
}

/// Runs @p call without the GIL while the manager and the memory of the arguments are in use.
template <typename Call>
auto whileInUse(ManagerHandle& manager, const TuningArgumentsHandle& arguments, Call&& call) {
    requireThisProcess();
    const Uses useMemory(toMemoryHandles(arguments.memory, "tensors"));
    const Use useManager(manager);
    const py::gil_scoped_release release;
    return call();
}

std::unique_ptr<ResultHandle> toResult(const std::shared_ptr<ManagerHandle>& manager,
                                       TuningResult result, const py::list& memory) {
    auto handle = std::make_unique<ResultHandle>();
    handle->algorithm = result.algorithm
                            ? toAlgorithm(manager, result.algorithm, memory, result.spirv)
                            : py::none();
    result.algorithm.reset();
    handle->result = std::move(result);
    return handle;
}

std::unique_ptr<ResultHandle> tune(AutotunerHandle& self, const TunableKernelHandle& kernel,
                                   const TuningArgumentsHandle& arguments) {
    const TunableKernel made = kernelFor(kernel, *self.manager->manager);
    const TuningArguments given = arguments.arguments;
    TuningResult result =
        whileInUse(*self.manager, arguments, [&] { return self.tuner->tune(made, given); });
    return toResult(self.manager, std::move(result), arguments.memory);
}

void bindResults(py::module_& module) {
    py::class_<TuningRecord>(module, "TuningRecord", "What is known of one configuration.")
        .def_property_readonly(
            "configuration", [](const TuningRecord& self) { return toDict(self.configuration); },
            "A value for each parameter.")
        .def_property_readonly(
            "status", [](const TuningRecord& self) { return nameOf(kStatuses, self.status); },
            "\"measured\", \"wrong\" (its results were refused), \"failed\" or \"skipped\".")
        .def_readonly("reason", &TuningRecord::reason, "Why it is wrong or failed.")
        .def_readonly("nanoseconds", &TuningRecord::nanoseconds, "The shortest run.")
        .def_readonly("median_ns", &TuningRecord::medianNs, "The median of the runs.")
        .def_readonly("runs", &TuningRecord::runs, "Runs that were timed.")
        .def_readonly("from_cache", &TuningRecord::fromCache, "True where nothing was run for it.")
        .def("__repr__", [](const TuningRecord& self) {
            return "<kp.TuningRecord " + self.configuration.toString() + ": " +
                   nameOf(kStatuses, self.status) + ">";
        });

    py::class_<TuningProgress>(module, "TuningProgress", "What tuning is doing.")
        .def_readonly("kernel", &TuningProgress::kernel, "Name of the kernel.")
        .def_readonly("round", &TuningProgress::round, "Which round of how many, from 1 on.")
        .def_readonly("rounds", &TuningProgress::rounds, "Rounds there are at most.")
        .def_readonly("done", &TuningProgress::done, "Configurations of the round that are done.")
        .def_readonly("total", &TuningProgress::total, "Configurations of the round.")
        .def_property_readonly(
            "configuration", [](const TuningProgress& self) { return toDict(self.configuration); },
            "The last one that was run.")
        .def_readonly("nanoseconds", &TuningProgress::nanoseconds,
                      "Its time; 0 where it was refused.")
        .def_property_readonly(
            "best", [](const TuningProgress& self) { return toDict(self.best); },
            "The fastest one so far.")
        .def_readonly("best_ns", &TuningProgress::bestNanoseconds, "Its time.")
        .def_readonly("elapsed", &TuningProgress::elapsedSeconds, "Seconds since the start.")
        .def_readonly("budget", &TuningProgress::budgetSeconds, "Seconds there are; 0: no bound.");

    py::class_<ResultHandle>(module, "TuningResult", "The fastest configuration.")
        .def_property_readonly(
            "configuration",
            [](const ResultHandle& self) { return toDict(self.result.configuration); },
            "A value for each parameter.")
        .def_property_readonly(
            "nanoseconds", [](const ResultHandle& self) { return self.result.nanoseconds; },
            "Its time; 0 where it was not measured for this size.")
        .def_property_readonly(
            "workgroup",
            [](const ResultHandle& self) {
                const Workgroup& groups = self.result.workgroup;
                return py::make_tuple(groups[0], groups[1], groups[2]);
            },
            "Work groups of the dispatch.")
        .def_property_readonly(
            "spirv",
            [](const ResultHandle& self) {
                return py::bytes(reinterpret_cast<const char*>(self.result.spirv.data()),
                                 self.result.spirv.size() * sizeof(uint32_t));
            },
            "Its shader.")
        .def_property_readonly(
            "algorithm", [](const ResultHandle& self) { return self.algorithm; },
            "Ready to be recorded, with the memory and push constants of the arguments; None in\n"
            "results of a TunedAlgorithm.")
        .def_property_readonly(
            "source", [](const ResultHandle& self) { return nameOf(kSources, self.result.source); },
            "\"measured\", \"cache\", \"nearest\" (the nearest known problem size) or\n"
            "\"estimate\".")
        .def_property_readonly(
            "benchmarks", [](const ResultHandle& self) { return self.result.benchmarks; },
            "Timed runs of this call.")
        .def_property_readonly(
            "configurations", [](const ResultHandle& self) { return self.result.configurations; },
            "Configurations before constraints and limits.")
        .def_property_readonly(
            "constrained", [](const ResultHandle& self) { return self.result.constrained; },
            "Configurations that constraints left out.")
        .def_property_readonly(
            "pruned", [](const ResultHandle& self) { return self.result.pruned; },
            "Configurations that limits of the device left out.")
        .def_property_readonly(
            "stopped", [](const ResultHandle& self) { return self.result.stopped; },
            "True where the budget or the progress function ended it.")
        .def_property_readonly(
            "seconds", [](const ResultHandle& self) { return self.result.seconds; },
            "How long it took.")
        .def_property_readonly(
            "records", [](const ResultHandle& self) { return self.result.records; },
            "What is known of each configuration, fastest first.")
        .def("__repr__", [](const ResultHandle& self) {
            return "<kp.TuningResult " + self.result.configuration.toString() + ">";
        });
}

void bindTunedAlgorithm(py::module_& module) {
    using Handle = TunedAlgorithmHandle;
    py::class_<Handle>(module, "TunedAlgorithm",
                       "A kernel that tunes itself at its first use, once per size of the problem.")
        .def(py::init([](const AutotunerHandle& tuner, const TunableKernelHandle& kernel) {
                 return std::make_unique<Handle>(Handle{
                     tuner.manager, std::make_shared<TunedAlgorithm>(
                                        tuner.tuner, kernelFor(kernel, *tuner.manager->manager))});
             }),
             py::arg("tuner"), py::arg("kernel"), "Tunes nothing yet.")
        .def(
            "algorithm",
            [](Handle& self, const TuningArgumentsHandle& arguments) {
                const TuningArguments given = arguments.arguments;
                std::vector<uint32_t> spirv;
                const std::shared_ptr<Algorithm> algorithm =
                    whileInUse(*self.manager, arguments, [&] {
                        auto made = self.kernel->algorithm(given);
                        spirv = self.kernel->result(given).spirv;
                        return made;
                    });
                return toAlgorithm(self.manager, algorithm, arguments.memory, spirv);
            },
            py::arg("arguments"),
            "A new algorithm of the fastest configuration, with the memory of the arguments. "
            "Tunes\n"
            "first where problem size and key are new.")
        .def(
            "result",
            [](Handle& self, const TuningArgumentsHandle& arguments) {
                const TuningArguments given = arguments.arguments;
                return toResult(self.manager,
                                whileInUse(*self.manager, arguments,
                                           [&] { return self.kernel->result(given); }),
                                arguments.memory);
            },
            py::arg("arguments"), "The result for these arguments, without an algorithm.")
        .def(
            "is_tuned",
            [](Handle& self, const TuningArgumentsHandle& arguments) {
                const TuningArguments given = arguments.arguments;
                // Another thread that tunes has the lock, and may want the GIL.
                const py::gil_scoped_release release;
                return self.kernel->isTuned(given);
            },
            py::arg("arguments"), "True where algorithm() would not tune.")
        .def(
            "forget",
            [](Handle& self) {
                const py::gil_scoped_release release;
                self.kernel->forget();
            },
            "Forgets all results; the cache on disk stays.");
}

} // namespace

py::object toAlgorithm(const std::shared_ptr<ManagerHandle>& manager,
                       const std::shared_ptr<Algorithm>& algorithm, const py::list& memory,
                       const std::vector<uint32_t>& spirv) {
    auto handle = std::make_unique<AlgorithmHandle>();
    handle->manager = manager;
    handle->algorithm = algorithm;
    handle->memory = py::list(memory.attr("copy")());
    handle->spirv = spirv;
    return py::cast(std::move(handle));
}

void bindAutotuner(py::module_& module) {
    bindResults(module);
    py::class_<AutotunerHandle>(module, "Autotuner",
                                "Finds the fastest configuration of a kernel on a device, and\n"
                                "remembers it on disk.")
        .def(py::init(&makeTuner), py::arg("manager"), py::kw_only(), py::arg("effort") = "measure",
             py::arg("budget") = 0.0, py::arg("time") = "auto", py::arg("cache_folder") = "",
             py::arg("lock_timeout") = 2.0, py::arg("subgroup_multiple") = true,
             py::arg("remeasure") = false, py::arg("runs") = 15, py::arg("seed") = 1,
             py::arg("progress") = py::none(),
             "`effort` is \"estimate\" (runs nothing), \"measure\", \"patient\" or\n"
             "\"exhaustive\"; `budget` a bound in seconds for each call, 0 for none; `time`\n"
             "\"auto\", \"device\" or \"host\"; `cache_folder` where times are kept (\"off\":\n"
             "nowhere, \"\": where the manager keeps pipelines). `progress` is True for a bar, or "
             "a\n"
             "function that takes a TuningProgress and ends tuning by giving False.")
        .def("tune", &tune, py::arg("kernel"), py::arg("arguments"),
             "The fastest configuration. Runs nothing where the cache knows everything. Memory is\n"
             "as before when it returns or raises. What functions of the kernel raise comes out.")
        .def(
            "export_records",
            [](AutotunerHandle& self, const py::object& path) {
                const std::string file = pathOf(path);
                const py::gil_scoped_release release;
                return self.tuner->exportRecords(file);
            },
            py::arg("path"), "Writes all times of this device to one file; gives their number.")
        .def(
            "import_records",
            [](AutotunerHandle& self, const py::object& path) {
                const std::string file = pathOf(path);
                const py::gil_scoped_release release;
                return self.tuner->importRecords(file);
            },
            py::arg("path"), "Adds the times of an exported file; gives the number of new ones.")
        .def_property_readonly(
            "cache_folder", [](AutotunerHandle& self) { return self.tuner->cacheFolder(); },
            "Where times are kept; \"\" where nothing is.");
    bindTunedAlgorithm(module);
}

} // namespace kp::python
