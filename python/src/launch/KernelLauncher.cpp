// SPDX-License-Identifier: Apache-2.0
#include "launch/Calls.hpp"

#include "base/Gil.hpp"
#include "base/Held.hpp"
#include "base/Package.hpp"
#include "launch/LaunchArguments.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

struct KernelHandle {
    std::shared_ptr<ManagerHandle> manager;
    Kernel kernel;
};
struct KernelLauncherHandle : KernelInterfaceHandle {
    py::object kernel;
    py::object arguments;
    py::object queue;
};
struct ParametrizedHandle : KernelLauncherHandle {
    py::object parametersMap;
};
struct IterativeHandle final : ParametrizedHandle {
    py::dict iterated;
    IterationMode mode = IterationMode::eProduct;
};

constexpr Named<IterationMode> kModes[] = {{"product", IterationMode::eProduct},
                                           {"zip", IterationMode::eZip}};

/// The constructor arguments of all kernel launchers.
struct KernelKeywords {
    std::string name;
    py::object kernel;
    py::object arguments;
    py::object globalSize;
    py::object localSize;
    py::object queue;
    OptionalSink profiler;
    bool roundUp = false;
    py::object manager;
    bool reinterpret = false;

    KernelOptions options() const {
        return {toWorkSize(globalSize, "default_global_work_size"),
                toWorkSize(localSize, "default_local_work_size"),
                toQueue(queue, "default_queue"),
                roundUp,
                profiler.value_or(nullptr),
                reinterpret};
    }
    /// Returns the signature that arguments are compared with.
    KernelSignature signatureOf(const Kernel& used) const {
        return reinterpret ? reinterpretingSignature(used.reflection()) : used.signature();
    }
    /// Returns a handle with the values that the properties of kernel launchers return.
    template <typename Handle>
    std::unique_ptr<Handle> newHandle() const {
        auto handle = std::make_unique<Handle>();
        handle->kernel = kernel;
        handle->arguments = arguments;
        handle->queue = queue;
        return handle;
    }
};

/// Returns the manager of a shader: the one named, else the queue's or an argument's.
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
Kernel makeKernel(const std::shared_ptr<ManagerHandle>& manager, py::handle shader,
                  AlgorithmOptions options = {}) {
    CompileTarget target = targetOf(*manager->manager);
    const Use use(*manager);
    if (PyObject_CheckBuffer(shader.ptr())) {
        std::vector<uint32_t> words = toSpirv(shader, target);
        const ReleaseGil release;
        return Kernel(*manager->manager, std::move(words), std::move(options));
    }
    target.checks.clear(); // the library calls it in their scope
    const auto compile = [held = hold(shader), target] {
        return withinLibrary([&] { return toSpirv(py::handle(held.get()), target); });
    };
    const ReleaseGil release;
    return Kernel(*manager->manager, compile, std::move(options));
}

/// Returns the kernel that a launcher is created with: a Kernel, an Algorithm, or a shader.
Kernel toKernel(const KernelKeywords& given) {
    if (py::isinstance<KernelHandle>(given.kernel))
        return py::cast<KernelHandle&>(given.kernel).kernel;
    if (isA<AlgorithmHandle>(given.kernel))
        return Kernel(handleOf<AlgorithmHandle>(given.kernel, "kernel").algorithm);
    return makeKernel(managerFor(given), given.kernel);
}

/// Returns the arguments that a launcher is created with.
Arguments toArguments(const KernelKeywords& given, const KernelSignature& signature) {
    Arguments arguments;
    forEachArgument(given.arguments, [&](py::handle key, py::handle value) {
        if (key && PyUnicode_Check(key.ptr())) {
            const std::string name = toText(key, "the name of an argument");
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

/// A kp.launcher.ParameterGenerator, or any other iterable or function that returns an iterator.
class PythonGenerator final : public ParameterGenerator {
public:
    PythonGenerator(py::handle generator, std::string launcher, std::string name,
                    const KernelArgument& expected)
        : mGenerator(hold(generator)), mLauncher(std::move(launcher)), mName(std::move(name)),
          mExpected(expected) {}

    ParameterSequence newGenerator() override {
        const py::object values = ofPackage("fresh_values")(py::handle(mGenerator.get()));
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

std::unique_ptr<KernelLauncherHandle>
makeKernelLauncher(std::string name, const py::object& kernelGiven, const py::object& arguments,
                   const py::object& globalSize, const py::object& localSize,
                   const py::object& queue, const OptionalSink& profiler, bool roundUp,
                   const py::object& manager, bool reinterpret) {
    const KernelKeywords given{
        std::move(name), kernelGiven, collectArguments(arguments, "args_list"),
        globalSize,      localSize,   queue,
        profiler,        roundUp,     manager,
        reinterpret};
    const Kernel kernel = toKernel(given);
    const KernelSignature signature = given.signatureOf(kernel);
    auto handle = given.newHandle<KernelLauncherHandle>();
    handle->launcher = std::make_shared<KernelLauncher>(
        given.name, kernel, toArguments(given, signature), given.options());
    return handle;
}

std::unique_ptr<ParametrizedHandle>
makeParametrized(std::string name, const py::object& kernelGiven, const py::object& parametersMap,
                 const py::object& arguments, const py::object& globalSize,
                 const py::object& localSize, const py::object& queue, const OptionalSink& profiler,
                 bool roundUp, const py::object& manager, bool reinterpret) {
    const KernelKeywords given{
        std::move(name), kernelGiven, collectArguments(arguments, "args_list"),
        globalSize,      localSize,   queue,
        profiler,        roundUp,     manager,
        reinterpret};
    const Kernel kernel = toKernel(given);
    const KernelSignature signature = given.signatureOf(kernel);
    const ParametersMap map = toParametersMap(given.name, parametersMap);
    auto handle = given.newHandle<ParametrizedHandle>();
    handle->parametersMap = parametersMap;
    handle->launcher = std::make_shared<ParametrizedKernelLauncher>(
        given.name, kernel, map, toArguments(given, signature), given.options());
    setSpecs(*handle, signature, map);
    return handle;
}

std::unique_ptr<IterativeHandle>
makeIterative(std::string name, const py::object& kernelGiven, const py::object& parametersMap,
              const py::object& arguments, const py::object& iteratedParameters,
              const py::object& globalSize, const py::object& localSize, const py::object& queue,
              const OptionalSink& profiler, bool roundUp, const py::object& manager,
              const std::string& mode, bool reinterpret) {
    const IterationMode iteration = valueNamed(kModes, mode, "mode");
    const KernelKeywords given{
        std::move(name), kernelGiven, collectArguments(arguments, "args_list"),
        globalSize,      localSize,   queue,
        profiler,        roundUp,     manager,
        reinterpret};
    const Kernel kernel = toKernel(given);
    const KernelSignature signature = given.signatureOf(kernel);
    const ParametersMap map = toParametersMap(given.name, parametersMap);
    auto handle = given.newHandle<IterativeHandle>();
    handle->parametersMap = parametersMap;
    handle->iterated = py::dict(iteratedParameters);
    handle->mode = iteration;
    std::vector<IteratedParameter> iterated;
    for (const auto& [key, value] : handle->iterated) {
        const std::string parameter = toText(key, "the name of an argument");
        const auto known = map.find(parameter);
        const KernelArgument* const expected =
            known == map.end() ? nullptr : argumentOf(signature, known->second);
        iterated.push_back({parameter, value.is_none()
                                           ? nullptr
                                           : std::make_shared<PythonGenerator>(
                                                 value, given.name, parameter,
                                                 expected ? *expected : KernelArgument())});
    }
    handle->launcher = std::make_shared<IterativeKernelLauncher>(
        given.name, kernel, map, toArguments(given, signature), std::move(iterated),
        given.options(), iteration);
    setSpecs(*handle, signature, map);
    return handle;
}

KernelLauncherHandle& kernelLauncherOf(py::handle self) {
    return handleOf<KernelLauncherHandle>(self);
}

KernelLauncher& launcherIn(py::handle self) {
    return static_cast<KernelLauncher&>(*kernelLauncherOf(self).launcher);
}

IterativeHandle& iterativeOf(py::handle self) {
    return py::cast<IterativeHandle&>(self);
}

void checkKernelArg(py::handle self, const py::object& value, uint32_t index,
                    const py::object& name, const py::object& type) {
    const KernelLauncher& launcher = launcherIn(self);
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

py::list describeSignature(const KernelLauncher& launcher) {
    py::list arguments;
    for (const KernelArgument& argument : launcher.signature().arguments())
        arguments.append(py::make_tuple(argument.index, argument.name, typeName(argument)));
    return arguments;
}

} // namespace

void setSpecs(LauncherHandle& handle, const KernelSignature& signature, const ParametersMap& map) {
    for (const ParameterInfo& info : handle.launcher->parameters())
        handle.specs.push_back(
            {info.name, handle.launcher->name(), *argumentOf(signature, map.at(info.name)), false});
}

void bindKernel(py::module_& module) {
    py::class_<KernelHandle>(module, "Kernel", doc(R"(
        A shader from which launchers are created; each launcher has its own arguments. Options as
        in Manager.algorithm.)"))
        .def(py::init([](const py::object& manager, const py::object& shader,
                         std::optional<uint32_t> subgroupSize, std::optional<bool> fullSubgroups,
                         const py::object& addressed, const py::object& samplers,
                         std::optional<bool> robustAccess, std::optional<uint64_t> maxPrivateBytes,
                         std::optional<bool> emulateTypes, const py::object& check) {
                 const GivenOptions options{subgroupSize, fullSubgroups,   addressed,    samplers,
                                            robustAccess, maxPrivateBytes, emulateTypes, check};
                 auto handle = sharedOf<ManagerHandle>(manager, "manager");
                 const Kernel kernel = makeKernel(handle, shader, options.over({}));
                 return std::make_unique<KernelHandle>(KernelHandle{handle, kernel});
             }),
             "manager"_a, "shader"_a, py::kw_only(), "subgroup_size"_a = py::none(),
             "full_subgroups"_a = py::none(), "addressed"_a = py::none(), "samplers"_a = py::none(),
             "robust_access"_a = py::none(), "max_private_bytes"_a = py::none(),
             "emulate_types"_a = py::none(), "check"_a = py::none());
}

void bindKernelLauncher(py::module_& module) {
    auto type =
        callableClass<KernelLauncherHandle, KernelInterfaceHandle>(module, "KernelLauncher", doc(R"(
        A kernel whose arguments are all known. `kernel` is an Algorithm, a Kernel, SPIR-V, GLSL or
        a path. `args_list` has all arguments by position, or pairs of an index or a name and a
        value: bindings in ascending order, then push constants by offset, then specialization
        constants by id. Sizes count work items. The elements of tensors must have the type that the
        shader declares, unless `reinterpret` is true.)"));
    setType<KernelLauncherHandle>(type);
    type.def(py::init(&makeKernelLauncher), "name"_a, "kernel"_a, "args_list"_a = py::none(),
             "default_global_work_size"_a = py::none(), "default_local_work_size"_a = py::none(),
             "default_queue"_a = py::none(), "profiler"_a = py::none(), py::kw_only(),
             "round_up"_a = false, "manager"_a = py::none(), "reinterpret"_a = false);
    Members(type, launcherIn)
        .method("queue_configured", &KernelLauncher::queueConfigured,
                "Whether there is a default queue.")
        .def("check_kernel_arg", &checkKernelArg, "arg"_a, "arg_id"_a, "arg_name"_a = py::none(),
             "arg_type"_a = py::none(), doc(R"(
                 Raises InvalidArgument if a value does not fit the argument with this index; the
                 message names launcher, argument, position, expected and given value. If a derived
                 class defines it, it is called with each parameter before that is set.)"))
        .def("as_list_launcher", &asListLauncher, "name"_a,
             "A KernelListLauncher that holds this launcher.");
    Members(type, kernelLauncherOf)
        .property("kernel", &KernelLauncherHandle::kernel, "As given.")
        .property("args_list", &KernelLauncherHandle::arguments, "As given; an iterator as a list.")
        .property("default_queue", &KernelLauncherHandle::queue, "As given.");
    Members(type, launcherIn)
        .property(
            "default_global_work_size",
            [](const KernelLauncher& launcher) {
                return fromWorkSize(launcher.defaultGlobalSize());
            },
            "Work items in x, y and z, or None.")
        .property(
            "default_local_work_size",
            [](const KernelLauncher& launcher) {
                return fromWorkSize(launcher.defaultLocalSize());
            },
            "Work items of a group in x, y and z, or None.")
        .property("signature", &describeSignature,
                  "Index, name and type of each argument of the kernel.");
    setCall(type, CallForm::eSized);

    auto parametrized = callableClass<ParametrizedHandle, KernelLauncherHandle>(
        module, "ParametrizedKernelLauncher", doc(R"(
            A kernel with arguments that each call gives by name. `parameters_map` is name -> index,
            name in the shader, or (index, type).)"));
    setType<ParametrizedHandle>(parametrized);
    parametrized
        .def(py::init(&makeParametrized), "name"_a, "kernel"_a, "parameters_map"_a,
             "args_list"_a = py::none(), "default_global_work_size"_a = py::none(),
             "default_local_work_size"_a = py::none(), "default_queue"_a = py::none(),
             "profiler"_a = py::none(), py::kw_only(), "round_up"_a = false,
             "manager"_a = py::none(), "reinterpret"_a = false)
        .def_property_readonly(
            "parameters_map",
            [](py::handle self) { return handleOf<ParametrizedHandle>(self).parametersMap; },
            "As given.");
    setCall(parametrized, CallForm::eSized);

    auto iterative = callableClass<IterativeHandle, ParametrizedHandle>(
        module, "IterativeKernelLauncher", doc(R"(
        Launches its kernel once for each value of its iterated parameters, in one submission.
        `iterated_parameters` is name -> ParameterGenerator; `mode` is "product" (the first changes
        slowest) or "zip".)"));
    Members(iterative, iterativeOf)
        .def(py::init(&makeIterative), "name"_a, "kernel"_a, "parameters_map"_a, "args_list"_a,
             "iterated_parameters"_a, "default_global_work_size"_a = py::none(),
             "default_local_work_size"_a = py::none(), "default_queue"_a = py::none(),
             "profiler"_a = py::none(), py::kw_only(), "round_up"_a = false,
             "manager"_a = py::none(), "mode"_a = "product", "reinterpret"_a = false)
        .property("iterated_parameters", &IterativeHandle::iterated, "As given.")
        .property(
            "mode", [](const IterativeHandle& handle) { return nameIn(kModes, handle.mode); },
            "\"product\" or \"zip\".")
        .method(
            "iter_parameters",
            [](const IterativeHandle& handle) {
                return ofPackage("combinations")(handle.iterated,
                                                 handle.mode == IterationMode::eZip);
            },
            "Yields the values of a fresh run, a tuple for each launch.");
    setCall(iterative, CallForm::eIterated);
}

} // namespace kp::python
