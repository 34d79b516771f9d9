// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "KernelLaunchers.hpp"

namespace kp::python {
namespace {

std::unique_ptr<KernelLauncherHandle> makeKernelLauncher(const KernelKeywords& given) {
    const Kernel kernel = toKernel(given);
    auto handle = newHandle<KernelLauncherHandle>(given);
    handle->launcher = std::make_shared<KernelLauncher>(
        given.name, kernel, toArguments(given, kernel), given.options());
    return handle;
}

KernelLauncherHandle& kernelLauncherOf(py::handle object) {
    return py::cast<KernelLauncherHandle&>(object);
}

void checkKernelArg(py::handle self, const py::object& value, uint32_t index,
                    const py::object& name, const py::object& type) {
    const KernelLauncher& launcher = kernelLauncherOf(self).get();
    const KernelArgument* const declared = argumentAt(launcher.kernel(), index);
    if (!declared)
        throw InvalidArgument("launcher '" + launcher.name() + "': there is no argument " +
                              std::to_string(index) + "; the kernel has " +
                              std::to_string(launcher.signature().arguments().size()));
    KernelArgument expected = *declared;
    const shader::ScalarType wanted = toScalarType(type);
    if (wanted != shader::ScalarType::eUnknown)
        expected.type = wanted;
    const std::string shown = name.is_none() ? expected.name : std::string(py::str(name));
    launcher.checkKernelArg(toArgument(value, &expected, launcher.name(), shown), index, shown,
                            expected);
}

void bindKernelBase(py::class_<KernelLauncherHandle, LauncherHandle>& type) {
    type.def(
            "queue_configured",
            [](py::handle self) { return kernelLauncherOf(self).get().queueConfigured(); },
            "Whether there is a default queue.")
        .def("check_kernel_arg", &checkKernelArg, py::arg("arg"), py::arg("arg_id"),
             py::arg("arg_name") = py::none(), py::arg("arg_type") = py::none(),
             "Raises InvalidArgument where a value does not fit the argument with this index; the\n"
             "message names launcher, argument, position, expected and given. Where a class of\n"
             "one's own defines it, it is called with each parameter before that is set.")
        .def(
            "as_list_launcher",
            [](const py::object& self, const std::string& name) {
                return py::handle(reinterpret_cast<PyObject*>(gType<ListHandle>))(name).attr(
                    "push_kernels")(self);
            },
            py::arg("name"), "A KernelListLauncher that holds this launcher.")
        .def_property_readonly(
            "kernel", [](py::handle self) { return kernelLauncherOf(self).kernel; }, "As given.")
        .def_property_readonly(
            "args_list", [](py::handle self) { return kernelLauncherOf(self).arguments; },
            "As given.")
        .def_property_readonly(
            "default_queue", [](py::handle self) { return kernelLauncherOf(self).queue; },
            "As given.")
        .def_property_readonly(
            "default_global_work_size",
            [](py::handle self) {
                return fromWorkSize(kernelLauncherOf(self).get().defaultGlobalSize());
            },
            "Work items in x, y and z, or None.")
        .def_property_readonly(
            "default_local_work_size",
            [](py::handle self) {
                return fromWorkSize(kernelLauncherOf(self).get().defaultLocalSize());
            },
            "Work items of a group in x, y and z, or None.")
        .def_property_readonly(
            "signature",
            [](py::handle self) {
                py::list arguments;
                for (const KernelArgument& argument :
                     kernelLauncherOf(self).get().signature().arguments())
                    arguments.append(
                        py::make_tuple(argument.index, argument.name, typeName(argument)));
                return arguments;
            },
            "Index, name and type of each argument of the kernel.");
}

} // namespace

void bindKernel(py::module_& module) {
    py::class_<KernelHandle>(module, "Kernel",
                             "A shader that launchers are made of; they do not disturb each\n"
                             "other's arguments.")
        .def(py::init([](const py::object& manager, const py::object& shader) {
                 handleOf<ManagerHandle>(manager, "manager");
                 auto handle = py::cast<std::shared_ptr<ManagerHandle>>(manager);
                 const Kernel kernel = makeKernel(handle, shader);
                 return std::make_unique<KernelHandle>(KernelHandle{handle, kernel});
             }),
             py::arg("manager"), py::arg("shader"));
}

void bindKernelLauncher(py::module_& module) {
    py::class_<KernelLauncherHandle, LauncherHandle> kernel(
        module, "KernelLauncher",
        "A kernel with arguments that are all known. `kernel` is an Algorithm, a Kernel, SPIR-V,\n"
        "GLSL or a path. `args_list` has all arguments by position, or pairs of an index or a "
        "name\n"
        "and a value: bindings in ascending order, then push constants by offset, then\n"
        "specialization constants by id. Sizes count work items.");
    kernel.def(py::init([](std::string name, py::object kernelGiven, py::object arguments,
                           py::object globalSize, py::object localSize, py::object queue,
                           OptionalSink profiler, bool roundUp, py::object manager) {
                   return makeKernelLauncher({std::move(name), kernelGiven, arguments, globalSize,
                                              localSize, queue, profiler.value_or(nullptr), roundUp,
                                              manager});
               }),
               py::arg("name"), py::arg("kernel"), py::arg("args_list") = py::none(),
               py::arg("default_global_work_size") = py::none(),
               py::arg("default_local_work_size") = py::none(),
               py::arg("default_queue") = py::none(), py::arg("profiler") = py::none(),
               py::kw_only(), py::arg("round_up") = false, py::arg("manager") = py::none());
    bindKernelBase(kernel);
    setCall(kernel, CallForm::eSized);
}

} // namespace kp::python
