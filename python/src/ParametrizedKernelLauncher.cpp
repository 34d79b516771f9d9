// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "KernelLaunchers.hpp"

namespace kp::python {
namespace {

std::unique_ptr<ParametrizedHandle> makeParametrized(const KernelKeywords& given,
                                                     const py::object& parametersMap) {
    const Kernel kernel = toKernel(given);
    const ParametersMap map = toParametersMap(given.name, parametersMap);
    auto handle = newHandle<ParametrizedHandle>(given);
    handle->parametersMap = parametersMap;
    handle->launcher = std::make_shared<ParametrizedKernelLauncher>(
        given.name, kernel, map, toArguments(given, kernel), given.options());
    setSpecs(*handle, kernel, map);
    return handle;
}

} // namespace

void bindParametrizedKernelLauncher(py::module_& module) {
    py::class_<ParametrizedHandle, KernelLauncherHandle> parametrized(
        module, "ParametrizedKernelLauncher",
        "A kernel some of whose arguments are given by name with each call. `parameters_map` is\n"
        "name -> index, name in the shader, or (index, type).");
    parametrized
        .def(
            py::init([](std::string name, py::object kernelGiven, py::object parametersMap,
                        py::object arguments, py::object globalSize, py::object localSize,
                        py::object queue, OptionalSink profiler, bool roundUp, py::object manager) {
                return makeParametrized({std::move(name), kernelGiven, arguments, globalSize,
                                         localSize, queue, profiler.value_or(nullptr), roundUp,
                                         manager},
                                        parametersMap);
            }),
            py::arg("name"), py::arg("kernel"), py::arg("parameters_map"),
            py::arg("args_list") = py::none(), py::arg("default_global_work_size") = py::none(),
            py::arg("default_local_work_size") = py::none(), py::arg("default_queue") = py::none(),
            py::arg("profiler") = py::none(), py::kw_only(), py::arg("round_up") = false,
            py::arg("manager") = py::none())
        .def_property_readonly(
            "parameters_map",
            [](py::handle self) { return py::cast<ParametrizedHandle&>(self).parametersMap; },
            "As given.");
    setCall(parametrized, CallForm::eSized);
}

} // namespace kp::python
