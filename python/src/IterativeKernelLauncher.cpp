// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Held.hpp"
#include "KernelLaunchers.hpp"

namespace kp::python {
namespace {

/// A kp.launcher.IterativeKernelLauncher.
struct IterativeHandle final : ParametrizedHandle {
    py::dict iterated;
    bool zip = false;
};

/// A kp.launcher.ParameterGenerator, or anything that gives an iterator upon call or is iterable.
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
    if (mode != "product" && mode != "zip")
        throw py::value_error("mode is \"product\" or \"zip\", not \"" + mode + "\"");
    const Kernel kernel = toKernel(given);
    const ParametersMap map = toParametersMap(given.name, parametersMap);
    auto handle = newHandle<IterativeHandle>(given);
    handle->parametersMap = parametersMap;
    handle->iterated = py::dict(iteratedParameters);
    handle->zip = mode == "zip";
    std::vector<IteratedParameter> iterated;
    for (const auto& [key, value] : handle->iterated) {
        const auto name = py::cast<std::string>(key);
        const auto known = map.find(name);
        const KernelArgument* expected = nullptr;
        if (known != map.end())
            expected = known->second.index ? argumentAt(kernel, *known->second.index)
                                           : kernel.signature().find(known->second.name);
        iterated.push_back({name, value.is_none() ? nullptr
                                                  : std::make_shared<PythonGenerator>(
                                                        value, given.name, name,
                                                        expected ? *expected : KernelArgument())});
    }
    handle->launcher = std::make_shared<IterativeKernelLauncher>(
        given.name, kernel, map, toArguments(given, kernel), std::move(iterated), given.options(),
        handle->zip ? IterationMode::eZip : IterationMode::eProduct);
    setSpecs(*handle, kernel, map);
    return handle;
}

} // namespace

void bindIterativeKernelLauncher(py::module_& module) {
    py::class_<IterativeHandle, ParametrizedHandle> iterative(
        module, "IterativeKernelLauncher",
        "Launches its kernel once for each value of its iterated parameters, in one submission.\n"
        "`iterated_parameters` is name -> ParameterGenerator; `mode` is \"product\" (the first\n"
        "changes slowest) or \"zip\".");
    iterative
        .def(py::init([](std::string name, py::object kernelGiven, py::object parametersMap,
                         py::object arguments, py::object iterated, py::object globalSize,
                         py::object localSize, py::object queue, OptionalSink profiler,
                         bool roundUp, py::object manager, const std::string& mode) {
                 return makeIterative({std::move(name), kernelGiven, arguments, globalSize,
                                       localSize, queue, profiler.value_or(nullptr), roundUp,
                                       manager},
                                      parametersMap, iterated, mode);
             }),
             py::arg("name"), py::arg("kernel"), py::arg("parameters_map"), py::arg("args_list"),
             py::arg("iterated_parameters"), py::arg("default_global_work_size") = py::none(),
             py::arg("default_local_work_size") = py::none(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none(), py::kw_only(), py::arg("round_up") = false,
             py::arg("manager") = py::none(), py::arg("mode") = "product")
        .def_property_readonly(
            "iterated_parameters",
            [](py::handle self) { return py::cast<IterativeHandle&>(self).iterated; }, "As given.")
        .def_property_readonly(
            "mode",
            [](py::handle self) {
                return py::cast<IterativeHandle&>(self).zip ? "zip" : "product";
            },
            "\"product\" or \"zip\".")
        .def(
            "iter_parameters",
            [](py::handle self) {
                const auto& handle = py::cast<IterativeHandle&>(self);
                return py::module_::import("kp.launcher")
                    .attr("_combinations")(handle.iterated, handle.zip);
            },
            "Yields the values of a fresh run, a tuple for each launch.");
    setCall(iterative, CallForm::eIterated);
}

} // namespace kp::python
