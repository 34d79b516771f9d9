// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningResult.hpp"

#include "base/Values.hpp"

namespace kp::python {
namespace {

constexpr Named<TuningResult::Source> kSources[] = {{"measured", TuningResult::Source::eMeasured},
                                                    {"cache", TuningResult::Source::eCache},
                                                    {"nearest", TuningResult::Source::eNearest},
                                                    {"estimate", TuningResult::Source::eEstimate}};
constexpr Named<TuningRecord::Status> kStatuses[] = {{"measured", TuningRecord::Status::eMeasured},
                                                     {"wrong", TuningRecord::Status::eWrong},
                                                     {"failed", TuningRecord::Status::eFailed},
                                                     {"skipped", TuningRecord::Status::eSkipped}};

void bindRecord(py::module_& module) {
    py::class_<TuningRecord>(module, "TuningRecord", "The known facts about one configuration.")
        .def_property_readonly(
            "configuration", [](const TuningRecord& self) { return toDict(self.configuration); },
            "A value for each parameter.")
        .def_property_readonly(
            "status", [](const TuningRecord& self) { return nameIn(kStatuses, self.status); },
            "\"measured\", \"wrong\" (its results were rejected), \"failed\" or \"skipped\".")
        .def_readonly("reason", &TuningRecord::reason, "Why it is wrong or failed.")
        .def_readonly("nanoseconds", &TuningRecord::nanoseconds, "The shortest run.")
        .def_readonly("median_ns", &TuningRecord::medianNs, "The median of the runs.")
        .def_readonly("runs", &TuningRecord::runs, "Runs that were timed.")
        .def_readonly("from_cache", &TuningRecord::fromCache, "True if nothing was run for it.")
        .def("__repr__", [](const TuningRecord& self) {
            return formatted("<kp.TuningRecord {}: {}>", self.configuration.toString(),
                             nameIn(kStatuses, self.status));
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

void bindTuningResult(py::module_& module) {
    bindRecord(module);
    bindProgress(module);
    const auto member = [](auto TuningResult::*pointer) {
        return [pointer](const ResultHandle& self) { return self.result.*pointer; };
    };
    py::class_<ResultHandle>(module, "TuningResult", "The fastest configuration.")
        .def_property_readonly(
            "configuration",
            [](const ResultHandle& self) { return toDict(self.result.configuration); },
            "A value for each parameter.")
        .def_property_readonly("nanoseconds", member(&TuningResult::nanoseconds),
                               "Its time; 0 if it was not measured for this size.")
        .def_property_readonly(
            "workgroup", [](const ResultHandle& self) { return toTuple(self.result.workgroup); },
            "Work groups of the dispatch.")
        .def_property_readonly(
            "spirv", [](const ResultHandle& self) { return toBytes(self.result.spirv); },
            "Its shader.")
        .def_readonly("algorithm", &ResultHandle::algorithm, doc(R"(
            Ready to be recorded, with the memory and push constants of the arguments; None in
            results of a TunedAlgorithm.)"))
        .def_property_readonly(
            "source", [](const ResultHandle& self) { return nameIn(kSources, self.result.source); },
            "\"measured\", \"cache\", \"nearest\" (the nearest known problem size) or "
            "\"estimate\".")
        .def_property_readonly("benchmarks", member(&TuningResult::benchmarks),
                               "Timed runs of this call.")
        .def_property_readonly("configurations", member(&TuningResult::configurations),
                               "Configurations before constraints and limits.")
        .def_property_readonly("constrained", member(&TuningResult::constrained),
                               "Configurations that constraints excluded.")
        .def_property_readonly("pruned", member(&TuningResult::pruned),
                               "Configurations that limits of the device excluded.")
        .def_property_readonly("stopped", member(&TuningResult::stopped),
                               "True if the budget or the progress function ended it.")
        .def_property_readonly("seconds", member(&TuningResult::seconds), "Duration of tuning.")
        .def_property_readonly("records", member(&TuningResult::records),
                               "The known facts about each configuration, fastest first.")
        .def("__repr__", [](const ResultHandle& self) {
            return formatted("<kp.TuningResult {}>", self.result.configuration.toString());
        });
}

} // namespace kp::python
