// SPDX-License-Identifier: Apache-2.0
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "tune/Tuning.hpp"

namespace kp::python {
namespace {

struct AutotunerHandle {
    std::shared_ptr<ManagerHandle> manager; ///< declared first: destroyed last
    std::shared_ptr<Autotuner> tuner;
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
constexpr Named<TuningRecord::Outcome> kOutcomes[] = {
    {"measured", TuningRecord::Outcome::eMeasured},
    {"wrong", TuningRecord::Outcome::eWrong},
    {"failed", TuningRecord::Outcome::eFailed},
    {"skipped", TuningRecord::Outcome::eSkipped}};

/// Returns the algorithm as a kp.Algorithm.
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

/// Notices Ctrl-C between configurations, with or without progress.
TuningCallback progressOf(const py::object& progress) {
    Held function;
    if (progress.ptr() == Py_True)
        function = holdFunction(ofPackage("TuningBar")(), "progress");
    else if (!progress.is_none() && progress.ptr() != Py_False)
        function = holdFunction(progress, "progress");
    return [function](const TuningProgress& state) {
        const AcquireGil acquire;
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
        return !function || !py::handle(function.get())(state).is(py::bool_(false));
    };
}

std::unique_ptr<AutotunerHandle> makeTuner(const py::object& manager, const std::string& effort,
                                           double budget, const std::string& time,
                                           const py::object& cacheFolder, double lockTimeout,
                                           bool subgroupMultiple, bool remeasure, uint32_t runs,
                                           uint32_t seed, const py::object& progress) {
    auto handle = std::make_unique<AutotunerHandle>();
    handle->manager = sharedOf<ManagerHandle>(manager, "manager");
    AutotunerOptions options;
    options.effort = valueNamed(kEfforts, effort, "effort");
    options.budgetSeconds = budget;
    options.time = valueNamed(kTimes, time, "time");
    options.cacheFolder = toPath(cacheFolder);
    options.lockSeconds = lockTimeout;
    options.subgroupMultiple = subgroupMultiple;
    options.remeasure = remeasure;
    options.runs = runs;
    options.seed = seed;
    options.progress = progressOf(progress);
    handle->tuner = std::make_shared<Autotuner>(*handle->manager->manager, std::move(options));
    return handle;
}

std::unique_ptr<ResultHandle> tune(AutotunerHandle& self, const TunableKernelHandle& kernel,
                                   const TuningArgumentsHandle& arguments) {
    const TunableKernel made = kernelFor(kernel, *self.manager->manager);
    const TuningArguments given = arguments.arguments;
    TuningResult result =
        whileInUse(*self.manager, arguments.memory, [&] { return self.tuner->tune(made, given); });
    return toResult(self.manager, std::move(result), arguments.memory);
}

std::unique_ptr<TunedAlgorithmHandle> makeTuned(const AutotunerHandle& tuner,
                                                const TunableKernelHandle& kernel) {
    return std::make_unique<TunedAlgorithmHandle>(TunedAlgorithmHandle{
        tuner.manager,
        std::make_shared<TunedAlgorithm>(tuner.tuner, kernelFor(kernel, *tuner.manager->manager))});
}

py::object tunedAlgorithm(TunedAlgorithmHandle& self, const TuningArgumentsHandle& arguments) {
    const TuningArguments given = arguments.arguments;
    std::vector<uint32_t> spirv;
    const std::shared_ptr<Algorithm> algorithm = whileInUse(*self.manager, arguments.memory, [&] {
        auto made = self.kernel->algorithm(given);
        spirv = self.kernel->result(given).spirv;
        return made;
    });
    return toAlgorithm(self.manager, algorithm, arguments.memory, spirv);
}

std::unique_ptr<ResultHandle> tunedResult(TunedAlgorithmHandle& self,
                                          const TuningArgumentsHandle& arguments) {
    const TuningArguments given = arguments.arguments;
    TuningResult result =
        whileInUse(*self.manager, arguments.memory, [&] { return self.kernel->result(given); });
    return toResult(self.manager, std::move(result), arguments.memory);
}

void bindRecord(py::module_& module) {
    py::class_<TuningRecord>(module, "TuningRecord", "The known facts about one configuration.")
        .def_property_readonly(
            "configuration", [](const TuningRecord& self) { return toDict(self.configuration); },
            "A value for each parameter.")
        .def_property_readonly(
            "status", [](const TuningRecord& self) { return nameIn(kOutcomes, self.status); },
            "\"measured\", \"wrong\" (its results were rejected), \"failed\" or \"skipped\".")
        .def_readonly("reason", &TuningRecord::reason, "Why it is wrong or failed.")
        .def_readonly("nanoseconds", &TuningRecord::nanoseconds, "The shortest run.")
        .def_readonly("median_ns", &TuningRecord::medianNs, "The median of the runs.")
        .def_readonly("runs", &TuningRecord::runs, "Runs that were timed.")
        .def_readonly("from_cache", &TuningRecord::fromCache, "True if nothing was run for it.")
        .def("__repr__", [](const TuningRecord& self) {
            return formatted("<kp.TuningRecord {}: {}>", self.configuration.toString(),
                             nameIn(kOutcomes, self.status));
        });
}

void bindProgress(py::module_& module) {
    py::class_<TuningProgress>(module, "TuningProgress", "The state of tuning.")
        .def_readonly("kernel", &TuningProgress::kernel, "Name of the kernel.")
        .def_readonly("round", &TuningProgress::round, "Number of the round, from 1 on.")
        .def_readonly("rounds", &TuningProgress::rounds, "Largest number of rounds.")
        .def_readonly("done", &TuningProgress::done, "Finished configurations of the round.")
        .def_readonly("total", &TuningProgress::total, "Configurations of the round.")
        .def_property_readonly(
            "configuration", [](const TuningProgress& self) { return toDict(self.configuration); },
            "The last one that was run.")
        .def_readonly("nanoseconds", &TuningProgress::nanoseconds,
                      "Its time; 0 if it was rejected.")
        .def_property_readonly(
            "best", [](const TuningProgress& self) { return toDict(self.best); },
            "The fastest one so far.")
        .def_readonly("best_ns", &TuningProgress::bestNanoseconds, "Its time.")
        .def_readonly("elapsed", &TuningProgress::elapsedSeconds, "Seconds since the start.")
        .def_readonly("budget", &TuningProgress::budgetSeconds,
                      "Largest number of seconds; 0: no limit.");
}

void bindResult(py::module_& module) {
    Members(py::class_<ResultHandle>(module, "TuningResult", "The fastest configuration."),
            [](py::handle self) -> TuningResult& { return py::cast<ResultHandle&>(self).result; })
        .property(
            "configuration",
            [](const TuningResult& result) { return toDict(result.configuration); },
            "A value for each parameter.")
        .property("nanoseconds", &TuningResult::nanoseconds,
                  "Its time; 0 if it was not measured for this size.")
        .property(
            "workgroup", [](const TuningResult& result) { return toTuple(result.workgroup); },
            "Work groups of the dispatch.")
        .property(
            "spirv", [](const TuningResult& result) { return toBytes(result.spirv); },
            "Its shader.")
        .property(
            "algorithm", [](py::handle self) { return py::cast<ResultHandle&>(self).algorithm; },
            doc(R"(
            Ready to be recorded, with the memory and push constants of the arguments; None in
            results of a TunedAlgorithm.)"))
        .property(
            "source", [](const TuningResult& result) { return nameIn(kSources, result.source); },
            "\"measured\", \"cache\", \"nearest\" (the nearest known problem size) or "
            "\"estimate\".")
        .property("benchmarks", &TuningResult::benchmarks, "Timed runs of this call.")
        .property("configurations", &TuningResult::configurations,
                  "Configurations before constraints and limits.")
        .property("constrained", &TuningResult::constrained,
                  "Configurations that constraints excluded.")
        .property("pruned", &TuningResult::pruned,
                  "Configurations that limits of the device excluded.")
        .property("stopped", &TuningResult::stopped,
                  "True if the budget or the progress function ended it.")
        .property("seconds", &TuningResult::seconds, "Duration of tuning.")
        .property("records", &TuningResult::records,
                  "The known facts about each configuration, fastest first.")
        .method("__repr__", [](const TuningResult& result) {
            return formatted("<kp.TuningResult {}>", result.configuration.toString());
        });
}

void bindTunedAlgorithm(py::module_& module) {
    using Handle = TunedAlgorithmHandle;
    py::class_<Handle>(module, "TunedAlgorithm",
                       "A kernel that is tuned at its first use, once per problem size.")
        .def(py::init(&makeTuned), "tuner"_a, "kernel"_a, "Tunes nothing yet.")
        .def("algorithm", &tunedAlgorithm, "arguments"_a, doc(R"(
            A new algorithm of the fastest configuration, with the memory of the arguments. Tunes
            first if problem size and key are new.)"))
        .def("result", &tunedResult, "arguments"_a,
             "The result for these arguments, without an algorithm.")
        .def(
            "is_tuned",
            [](Handle& self, const TuningArgumentsHandle& arguments) {
                const TuningArguments given = arguments.arguments;
                // A thread that tunes holds the lock, and may wait for the GIL.
                const ReleaseGil release;
                return self.kernel->isTuned(given);
            },
            "arguments"_a, "True if algorithm() would not tune.")
        .def(
            "forget",
            [](Handle& self) {
                const ReleaseGil release;
                self.kernel->forget();
            },
            "Discards all results; the cache on disk stays.");
}

} // namespace

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

void bindAutotuner(py::module_& module) {
    bindRecord(module);
    bindProgress(module);
    bindResult(module);
    py::class_<AutotunerHandle>(module, "Autotuner", doc(R"(
        Finds the fastest configuration of a kernel on a device, and caches it on disk.)"))
        .def(py::init(&makeTuner), "manager"_a, py::kw_only(), "effort"_a = "measure",
             "budget"_a = 0.0, "time"_a = "auto", "cache_folder"_a = "", "lock_timeout"_a = 2.0,
             "subgroup_multiple"_a = true, "remeasure"_a = false, "runs"_a = 15, "seed"_a = 1,
             "progress"_a = py::none(), doc(R"(
                 `effort` is "estimate" (runs nothing), "measure", "patient" or "exhaustive";
                 `budget` a limit in seconds for each call, 0 for none; `time` "auto", "device" or
                 "host"; `cache_folder` the folder of the cache ("off": none, "": the manager's).
                 `progress` is True for a bar, or a function that takes a TuningProgress and ends
                 tuning by returning False.)"))
        .def("tune", &tune, "kernel"_a, "arguments"_a, doc(R"(
            The fastest configuration. Runs nothing if the cache has everything. Restores memory
            before it returns or raises. Exceptions of the kernel's functions are raised as they
            are.)"))
        .def(
            "export_records",
            [](AutotunerHandle& self, const py::object& path) {
                const std::string file = toPath(path);
                const ReleaseGil release;
                return self.tuner->exportRecords(file);
            },
            "path"_a, "Writes all times of this device to one file; returns their number.")
        .def(
            "import_records",
            [](AutotunerHandle& self, const py::object& path) {
                const std::string file = toPath(path);
                const ReleaseGil release;
                return self.tuner->importRecords(file);
            },
            "path"_a, "Adds the times of an exported file; returns the number of new ones.")
        .def_property_readonly(
            "cache_folder",
            [](const AutotunerHandle& self) {
                return py::str(fromPath(self.tuner->cacheFolder()));
            },
            "The place of the cache; \"\" if there is none.");
    bindTunedAlgorithm(module);
}

} // namespace kp::python
