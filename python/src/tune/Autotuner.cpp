// SPDX-License-Identifier: Apache-2.0
#include "tune/Autotuner.hpp"

#include "base/Values.hpp"
#include "tune/TuningResult.hpp"

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

/// Notices Ctrl-C between configurations, with or without progress.
TuningCallback progressOf(const py::object& progress) {
    TuningCallback bar;
    Held function;
    if (progress.ptr() == Py_True)
        bar = consoleProgress();
    else if (!progress.is_none() && progress.ptr() != Py_False)
        function = holdFunction(progress, "progress");
    return [bar, function](const TuningProgress& state) {
        const py::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
        if (bar)
            return bar(state);
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
                const py::gil_scoped_release release;
                return self.kernel->isTuned(given);
            },
            "arguments"_a, "True if algorithm() would not tune.")
        .def(
            "forget",
            [](Handle& self) {
                const py::gil_scoped_release release;
                self.kernel->forget();
            },
            "Discards all results; the cache on disk stays.");
}

} // namespace

void bindAutotuner(py::module_& module) {
    py::class_<AutotunerHandle>(module, "Autotuner", doc(R"(
        Finds the fastest configuration of a kernel on a device, and caches it on disk.)"))
        .def(py::init(&makeTuner), "manager"_a, py::kw_only(), "effort"_a = "measure",
             "budget"_a = 0.0, "time"_a = "auto", "cache_folder"_a = "", "lock_timeout"_a = 2.0,
             "subgroup_multiple"_a = true, "remeasure"_a = false, "runs"_a = 15, "seed"_a = 1,
             "progress"_a = py::none(), doc(R"(
                 `effort` is "estimate" (runs nothing), "measure", "patient" or "exhaustive";
                 `budget` a limit in seconds for each call, 0 for none; `time` "auto", "device" or
                 "host"; `cache_folder` the place of the cache ("off": nowhere, "": that of the
                 manager's pipelines). `progress` is True for a bar, or a function that takes a
                 TuningProgress and ends tuning by returning False.)"))
        .def("tune", &tune, "kernel"_a, "arguments"_a, doc(R"(
            The fastest configuration. Runs nothing if the cache has everything. Restores memory
            before it returns or raises. Exceptions of the kernel's functions are raised as they
            are.)"))
        .def(
            "export_records",
            [](AutotunerHandle& self, const py::object& path) {
                const std::string file = toPath(path);
                const py::gil_scoped_release release;
                return self.tuner->exportRecords(file);
            },
            "path"_a, "Writes all times of this device to one file; returns their number.")
        .def(
            "import_records",
            [](AutotunerHandle& self, const py::object& path) {
                const std::string file = toPath(path);
                const py::gil_scoped_release release;
                return self.tuner->importRecords(file);
            },
            "path"_a, "Adds the times of an exported file; returns the number of new ones.")
        .def_property_readonly(
            "cache_folder", [](AutotunerHandle& self) { return self.tuner->cacheFolder(); },
            "The place of the cache; \"\" if there is none.");
    bindTunedAlgorithm(module);
}

} // namespace kp::python
