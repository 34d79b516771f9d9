// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelLauncher.hpp"

#include "launch/LauncherCall.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

struct KernelHandle {
    std::shared_ptr<ManagerHandle> manager;
    Kernel kernel;
};

/// Returns the manager of a shader: the one named, else that of the queue or of an argument.
std::shared_ptr<ManagerHandle> managerFor(const KernelKeywords& given) {
    if (!given.manager.is_none())
        return sharedOf<ManagerHandle>(given.manager, "manager");
    if (!given.queue.is_none())
        return handleOf<QueueHandle>(given.queue, "default_queue").manager;
    std::shared_ptr<ManagerHandle> manager;
    forEachArgument(given.arguments, [&manager](py::handle, py::handle value) {
        if (!manager && isA<MemoryHandle>(value))
            manager = handleOf<MemoryHandle>(value).manager;
    });
    if (!manager)
        throw InvalidArgument(
            formatted("launcher '{}': a kernel given as a shader needs to know its manager; give "
                      "manager, default_queue, a tensor among the arguments, or a "
                      "kp.launcher.Kernel",
                      given.name));
    return manager;
}

/// Returns the kernel of a shader in any form. @throws ShaderError
Kernel makeKernel(const std::shared_ptr<ManagerHandle>& manager, py::handle shader) {
    std::vector<uint32_t> words = toSpirv(shader, vulkanVersionOf(*manager->manager));
    const Use use(*manager);
    const py::gil_scoped_release release;
    return Kernel(*manager->manager, std::move(words));
}

std::unique_ptr<KernelLauncherHandle> makeKernelLauncher(const KernelKeywords& given) {
    const Kernel kernel = toKernel(given);
    auto handle = newHandle<KernelLauncherHandle>(given);
    handle->launcher = std::make_shared<KernelLauncher>(
        given.name, kernel, toArguments(given, kernel), given.options());
    return handle;
}

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

KernelLauncherHandle& kernelLauncherOf(py::handle self) {
    return handleOf<KernelLauncherHandle>(self);
}

void checkKernelArg(py::handle self, const py::object& value, uint32_t index,
                    const py::object& name, const py::object& type) {
    const KernelLauncher& launcher = kernelLauncherOf(self).get();
    const KernelArgument* const declared = argumentAt(launcher.signature(), index);
    if (!declared)
        throw InvalidArgument(formatted("launcher '{}': there is no argument {}; the kernel has {}",
                                        launcher.name(), index,
                                        launcher.signature().arguments().size()));
    KernelArgument expected = *declared;
    const shader::ScalarType wanted = toScalarType(type);
    if (wanted != shader::ScalarType::eUnknown)
        expected.type = wanted;
    const std::string shown = name.is_none() ? expected.name : std::string(py::str(name));
    launcher.checkKernelArg(toArgument(value, &expected, launcher.name(), shown), index, shown,
                            expected);
}

py::object asListLauncher(const py::object& self, const std::string& name) {
    const py::handle list(reinterpret_cast<PyObject*>(gType<ListHandle>));
    return list(name).attr("push_kernels")(self);
}

py::object fromWorkSize(const std::optional<WorkSize>& size) {
    if (!size)
        return py::none();
    return py::make_tuple(size->x, size->y, size->z);
}

py::list describeSignature(py::handle self) {
    py::list arguments;
    for (const KernelArgument& argument : kernelLauncherOf(self).get().signature().arguments())
        arguments.append(py::make_tuple(argument.index, argument.name, typeName(argument)));
    return arguments;
}

void bindMembers(py::class_<KernelLauncherHandle, LauncherHandle>& type) {
    const auto launcher = [](py::handle self) -> KernelLauncher& {
        return kernelLauncherOf(self).get();
    };
    type.def("queue_configured", getter(launcher, &KernelLauncher::queueConfigured),
             "Whether there is a default queue.")
        .def("check_kernel_arg", &checkKernelArg, "arg"_a, "arg_id"_a, "arg_name"_a = py::none(),
             "arg_type"_a = py::none(), doc(R"(
                 Raises InvalidArgument if a value does not fit the argument with this index; the
                 message names launcher, argument, position, expected and given value. If a derived
                 class defines it, it is called with each parameter before that is set.)"))
        .def("as_list_launcher", &asListLauncher, "name"_a,
             "A KernelListLauncher that holds this launcher.")
        .def_property_readonly("kernel", getter(kernelLauncherOf, &KernelLauncherHandle::kernel),
                               "As given.")
        .def_property_readonly(
            "args_list", getter(kernelLauncherOf, &KernelLauncherHandle::arguments), "As given.")
        .def_property_readonly("default_queue",
                               getter(kernelLauncherOf, &KernelLauncherHandle::queue), "As given.")
        .def_property_readonly(
            "default_global_work_size",
            [launcher](py::handle self) {
                return fromWorkSize(launcher(self).defaultGlobalSize());
            },
            "Work items in x, y and z, or None.")
        .def_property_readonly(
            "default_local_work_size",
            [launcher](py::handle self) { return fromWorkSize(launcher(self).defaultLocalSize()); },
            "Work items of a group in x, y and z, or None.")
        .def_property_readonly("signature", &describeSignature,
                               "Index, name and type of each argument of the kernel.");
}

void bindParametrized(py::module_& module) {
    py::class_<ParametrizedHandle, KernelLauncherHandle> type(module, "ParametrizedKernelLauncher",
                                                              doc(R"(
            A kernel with arguments that each call gives by name. `parameters_map` is name -> index,
            name in the shader, or (index, type).)"));
    setType<ParametrizedHandle>(type);
    type.def(
            py::init([](std::string name, py::object kernel, py::object parametersMap,
                        py::object arguments, py::object globalSize, py::object localSize,
                        py::object queue, OptionalSink profiler, bool roundUp, py::object manager) {
                return makeParametrized({std::move(name), kernel, arguments, globalSize, localSize,
                                         queue, profiler, roundUp, manager},
                                        parametersMap);
            }),
            "name"_a, "kernel"_a, "parameters_map"_a, "args_list"_a = py::none(),
            "default_global_work_size"_a = py::none(), "default_local_work_size"_a = py::none(),
            "default_queue"_a = py::none(), "profiler"_a = py::none(), py::kw_only(),
            "round_up"_a = false, "manager"_a = py::none())
        .def_property_readonly(
            "parameters_map",
            [](py::handle self) { return handleOf<ParametrizedHandle>(self).parametersMap; },
            "As given.");
    setCall(type, CallForm::eSized);
}

} // namespace

KernelOptions KernelKeywords::options() const {
    KernelOptions options;
    options.globalSize = toWorkSize(globalSize, "default_global_work_size");
    options.localSize = toWorkSize(localSize, "default_local_work_size");
    options.queue = toQueue(queue, "default_queue");
    options.roundUp = roundUp;
    options.profiler = profiler.value_or(nullptr);
    return options;
}

Kernel toKernel(const KernelKeywords& given) {
    if (py::isinstance<KernelHandle>(given.kernel))
        return py::cast<KernelHandle&>(given.kernel).kernel;
    if (isA<AlgorithmHandle>(given.kernel))
        return Kernel(handleOf<AlgorithmHandle>(given.kernel, "kernel").algorithm);
    return makeKernel(managerFor(given), given.kernel);
}

Arguments toArguments(const KernelKeywords& given, const Kernel& kernel) {
    const KernelSignature& signature = kernel.signature();
    Arguments arguments;
    forEachArgument(given.arguments, [&](py::handle key, py::handle value) {
        if (key && PyUnicode_Check(key.ptr())) {
            const auto name = py::cast<std::string>(key);
            arguments.push_back(
                Argument(name, toArgument(value, signature.find(name), given.name, name)));
            return;
        }
        const uint64_t index = key ? toArgumentIndex(key, given.name) : arguments.size();
        const KernelArgument* const expected = argumentAt(signature, index);
        const std::string name = expected ? expected->name : key ? "" : std::to_string(index);
        ArgumentValue converted = toArgument(value, expected, given.name, name);
        arguments.push_back(key ? Argument(static_cast<uint32_t>(index), std::move(converted))
                                : Argument(std::move(converted)));
    });
    return arguments;
}

void setSpecs(LauncherHandle& handle, const Kernel& kernel, const ParametersMap& map) {
    for (const ParameterInfo& info : handle.launcher->parameters())
        handle.specs.push_back({info.name, handle.launcher->name(),
                                *argumentOf(kernel.signature(), map.at(info.name)), false});
}

void bindKernel(py::module_& module) {
    py::class_<KernelHandle>(module, "Kernel", doc(R"(
        A shader from which launchers are created; each launcher has its own arguments.)"))
        .def(py::init([](const py::object& manager, const py::object& shader) {
                 auto handle = sharedOf<ManagerHandle>(manager, "manager");
                 const Kernel kernel = makeKernel(handle, shader);
                 return std::make_unique<KernelHandle>(KernelHandle{handle, kernel});
             }),
             "manager"_a, "shader"_a);
}

void bindKernelLauncher(py::module_& module) {
    py::class_<KernelLauncherHandle, LauncherHandle> type(module, "KernelLauncher", doc(R"(
        A kernel whose arguments are all known. `kernel` is an Algorithm, a Kernel, SPIR-V, GLSL or
        a path. `args_list` has all arguments by position, or pairs of an index or a name and a
        value: bindings in ascending order, then push constants by offset, then specialization
        constants by id. Sizes count work items.)"));
    setType<KernelLauncherHandle>(type);
    type.def(py::init([](std::string name, py::object kernel, py::object arguments,
                         py::object globalSize, py::object localSize, py::object queue,
                         OptionalSink profiler, bool roundUp, py::object manager) {
                 return makeKernelLauncher({std::move(name), kernel, arguments, globalSize,
                                            localSize, queue, profiler, roundUp, manager});
             }),
             "name"_a, "kernel"_a, "args_list"_a = py::none(),
             "default_global_work_size"_a = py::none(), "default_local_work_size"_a = py::none(),
             "default_queue"_a = py::none(), "profiler"_a = py::none(), py::kw_only(),
             "round_up"_a = false, "manager"_a = py::none());
    bindMembers(type);
    setCall(type, CallForm::eSized);
    bindParametrized(module);
}

} // namespace kp::python
