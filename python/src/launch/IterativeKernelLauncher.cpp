// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelLauncher.hpp"

#include "base/Held.hpp"
#include "base/Values.hpp"
#include "launch/LauncherCall.hpp"

namespace kp::python {
namespace {

constexpr Named<IterationMode> kModes[] = {{"product", IterationMode::eProduct},
                                           {"zip", IterationMode::eZip}};

struct IterativeHandle final : ParametrizedHandle {
    py::dict iterated;
    IterationMode mode = IterationMode::eProduct;
};

/// A kp.launcher.ParameterGenerator, or any other iterable or function that returns an iterator.
class PythonGenerator final : public ParameterGenerator {
public:
    PythonGenerator(py::handle generator, std::string launcher, std::string name,
                    const KernelArgument& expected)
        : mGenerator(hold(generator)), mLauncher(std::move(launcher)), mName(std::move(name)),
          mExpected(expected) {}

    ParameterSequence newGenerator() override {
        const py::object values =
            py::module_::import("kp.launcher").attr("_fresh")(py::handle(mGenerator.get()));
        const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(values.ptr()));
        if (!iterator)
            throw py::error_already_set();
        return [this, held = hold(iterator)]() -> std::optional<ArgumentValue> {
            const auto value = py::reinterpret_steal<py::object>(PyIter_Next(held.get()));
            if (value)
                return toArgument(value, &mExpected, mLauncher, mName);
            if (PyErr_Occurred())
                throw py::error_already_set();
            return std::nullopt;
        };
    }

private:
    Held mGenerator;
    std::string mLauncher;
    std::string mName;
    KernelArgument mExpected;
};

std::unique_ptr<IterativeHandle> makeIterative(const KernelKeywords& given,
                                               const py::object& parametersMap,
                                               const py::object& iteratedParameters,
                                               const std::string& mode) {
    const IterationMode iteration = valueNamed(kModes, mode, "mode");
    const Kernel kernel = toKernel(given);
    const ParametersMap map = toParametersMap(given.name, parametersMap);
    auto handle = newHandle<IterativeHandle>(given);
    handle->parametersMap = parametersMap;
    handle->iterated = py::dict(iteratedParameters);
    handle->mode = iteration;
    std::vector<IteratedParameter> iterated;
    for (const auto& [key, value] : handle->iterated) {
        const auto name = py::cast<std::string>(key);
        const auto known = map.find(name);
        const KernelArgument* const expected =
            known == map.end() ? nullptr : argumentOf(kernel.signature(), known->second);
        iterated.push_back({name, value.is_none() ? nullptr
                                                  : std::make_shared<PythonGenerator>(
                                                        value, given.name, name,
                                                        expected ? *expected : KernelArgument())});
    }
    handle->launcher = std::make_shared<IterativeKernelLauncher>(
        given.name, kernel, map, toArguments(given, kernel), std::move(iterated), given.options(),
        iteration);
    setSpecs(*handle, kernel, map);
    return handle;
}

IterativeHandle& iterativeOf(py::handle self) {
    return py::cast<IterativeHandle&>(self);
}

} // namespace

void bindIterativeKernelLauncher(py::module_& module) {
    py::class_<IterativeHandle, ParametrizedHandle> type(module, "IterativeKernelLauncher", doc(R"(
        Launches its kernel once for each value of its iterated parameters, in one submission.
        `iterated_parameters` is name -> ParameterGenerator; `mode` is "product" (the first changes
        slowest) or "zip".)"));
    type.def(py::init([](std::string name, py::object kernel, py::object parametersMap,
                         py::object arguments, py::object iterated, py::object globalSize,
                         py::object localSize, py::object queue, OptionalSink profiler,
                         bool roundUp, py::object manager, const std::string& mode) {
                 return makeIterative({std::move(name), kernel, arguments, globalSize, localSize,
                                       queue, profiler, roundUp, manager},
                                      parametersMap, iterated, mode);
             }),
             "name"_a, "kernel"_a, "parameters_map"_a, "args_list"_a, "iterated_parameters"_a,
             "default_global_work_size"_a = py::none(), "default_local_work_size"_a = py::none(),
             "default_queue"_a = py::none(), "profiler"_a = py::none(), py::kw_only(),
             "round_up"_a = false, "manager"_a = py::none(), "mode"_a = "product")
        .def_property_readonly("iterated_parameters",
                               getter(iterativeOf, &IterativeHandle::iterated), "As given.")
        .def_property_readonly(
            "mode", [](py::handle self) { return nameIn(kModes, iterativeOf(self).mode); },
            "\"product\" or \"zip\".")
        .def(
            "iter_parameters",
            [](py::handle self) {
                const IterativeHandle& handle = iterativeOf(self);
                return py::module_::import("kp.launcher")
                    .attr("_combinations")(handle.iterated, handle.mode == IterationMode::eZip);
            },
            "Yields the values of a fresh run, a tuple for each launch.");
    setCall(type, CallForm::eIterated);
}

} // namespace kp::python
