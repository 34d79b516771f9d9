// SPDX-License-Identifier: Apache-2.0
#include "Launchers.hpp"

#include <algorithm>

#include <pybind11/stl.h>

#include "CallArguments.hpp"
#include "Errors.hpp"
#include "Held.hpp"
#include "Module.hpp"
#include "PythonLauncher.hpp"
#include "Shaders.hpp"
#include "launch/RunLog.hpp"

namespace kp::python {
namespace {

using Sink = std::shared_ptr<TimingSink>;
using OptionalSink = std::optional<Sink>; ///< as signatures name it

/// A kp.launcher.Kernel.
struct KernelHandle {
    std::shared_ptr<ManagerHandle> manager;
    Kernel kernel;
};

// A handle type for each class, so that pybind11 tells them apart.
struct HostHandle final : LauncherHandle {};
struct CopyHandle final : LauncherHandle {};
struct FillHandle final : LauncherHandle {};
struct KernelLauncherHandle : LauncherHandle {
    py::object kernel;
    py::object arguments;
    py::object queue;
    KernelLauncher& get() const { return static_cast<KernelLauncher&>(*launcher); }
};
struct ParametrizedHandle : KernelLauncherHandle {
    py::object parametersMap;
};
struct IterativeHandle final : ParametrizedHandle {
    py::dict iterated;
    bool zip = false;
};

/// What is common to the constructors of kernel launchers.
struct KernelKeywords {
    std::string name;
    py::object kernel;
    py::object arguments;
    py::object globalSize;
    py::object localSize;
    py::object queue;
    Sink profiler;
    bool roundUp = false;
    py::object manager;

    KernelOptions options() const {
        KernelOptions options;
        options.globalSize = toWorkSize(globalSize, "default_global_work_size");
        options.localSize = toWorkSize(localSize, "default_local_work_size");
        options.queue = toQueue(queue, "default_queue");
        options.roundUp = roundUp;
        options.profiler = profiler;
        return options;
    }
};

/// The manager that a shader is for: the one named, else that of the queue or of an argument.
std::shared_ptr<ManagerHandle> managerFor(const KernelKeywords& given) {
    if (!given.manager.is_none()) {
        handleOf<ManagerHandle>(given.manager, "manager");
        return py::cast<std::shared_ptr<ManagerHandle>>(given.manager);
    }
    if (!given.queue.is_none())
        return handleOf<QueueHandle>(given.queue, "default_queue").manager;
    const auto ofMemory = [](py::handle value) -> std::shared_ptr<ManagerHandle> {
        if (PyObject_TypeCheck(value.ptr(), gType<MemoryHandle>))
            return handleOf<MemoryHandle>(value).manager;
        return nullptr;
    };
    if (!given.arguments.is_none()) {
        const py::object values = PyDict_Check(given.arguments.ptr())
                                      ? py::object(given.arguments.attr("values")())
                                      : given.arguments;
        for (const py::handle entry : values) {
            if (auto manager = ofMemory(entry))
                return manager;
            if (PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2)
                if (auto manager = ofMemory(PyTuple_GET_ITEM(entry.ptr(), 1)))
                    return manager;
        }
    }
    throw InvalidArgument("launcher '" + given.name +
                          "': a kernel given as a shader needs to know its manager; give "
                          "manager, default_queue, a tensor among the arguments, or a "
                          "kp.launcher.Kernel");
}

Kernel makeKernel(const std::shared_ptr<ManagerHandle>& manager, py::handle shader) {
    std::vector<uint32_t> words =
        toSpirv(shader, manager->manager->deviceInfo().apiVersion & ~uint32_t{0xFFF});
    const Use use(*manager);
    const py::gil_scoped_release release;
    return Kernel(*manager->manager, std::move(words));
}

Kernel toKernel(const KernelKeywords& given) {
    if (py::isinstance<KernelHandle>(given.kernel))
        return py::cast<KernelHandle&>(given.kernel).kernel;
    if (PyObject_TypeCheck(given.kernel.ptr(), gType<AlgorithmHandle>))
        return Kernel(handleOf<AlgorithmHandle>(given.kernel, "kernel").algorithm);
    return makeKernel(managerFor(given), given.kernel);
}

const KernelArgument* argumentAt(const Kernel& kernel, uint64_t index) {
    const std::vector<KernelArgument>& arguments = kernel.signature().arguments();
    return index < arguments.size() ? &arguments[index] : nullptr;
}

Argument namedArgument(const Kernel& kernel, const std::string& launcher, py::handle key,
                       py::handle value) {
    if (PyUnicode_Check(key.ptr())) {
        const auto name = py::cast<std::string>(key);
        return Argument(name, toArgument(value, kernel.signature().find(name), launcher, name));
    }
    const uint32_t index = toArgumentIndex(key, launcher);
    const KernelArgument* const expected = argumentAt(kernel, index);
    return Argument(index, toArgument(value, expected, launcher, expected ? expected->name : ""));
}

/// All by position, or pairs of an index or a name and a value; or a dict of those.
Arguments toArguments(const KernelKeywords& given, const Kernel& kernel) {
    Arguments arguments;
    if (given.arguments.is_none())
        return arguments;
    if (PyDict_Check(given.arguments.ptr())) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.arguments))
            arguments.push_back(namedArgument(kernel, given.name, key, value));
        return arguments;
    }
    for (const py::handle entry : given.arguments) {
        if (PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2 &&
            isArgumentKey(PyTuple_GET_ITEM(entry.ptr(), 0))) {
            arguments.push_back(namedArgument(kernel, given.name, PyTuple_GET_ITEM(entry.ptr(), 0),
                                              PyTuple_GET_ITEM(entry.ptr(), 1)));
            continue;
        }
        const KernelArgument* const expected = argumentAt(kernel, arguments.size());
        arguments.push_back(
            Argument(toArgument(entry, expected, given.name,
                                expected ? expected->name : std::to_string(arguments.size()))));
    }
    return arguments;
}

void setSpecs(LauncherHandle& handle, const Kernel& kernel, const ParametersMap& map) {
    for (const ParameterInfo& info : handle.launcher->parameters()) {
        const ParameterTarget& target = map.at(info.name);
        const KernelArgument* const expected =
            target.index ? argumentAt(kernel, *target.index) : kernel.signature().find(target.name);
        handle.specs.push_back({info.name, handle.launcher->name(), *expected, false});
    }
}

template <typename Handle>
std::unique_ptr<Handle> newHandle(const KernelKeywords& given) {
    auto handle = std::make_unique<Handle>();
    handle->kernel = given.kernel;
    handle->arguments = given.arguments;
    handle->queue = given.queue;
    return handle;
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

std::unique_ptr<HostHandle> makeHost(const std::string& name, const py::object& function,
                                     const std::vector<std::string>& parameters,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    auto handle = std::make_unique<HostHandle>();
    handle->launcher = std::make_shared<PythonHostLauncher>(name, function, parameters,
                                                            toQueue(defaultQueue, "default_queue"),
                                                            profiler.value_or(nullptr));
    for (const std::string& parameter : parameters)
        handle->specs.push_back({parameter, name, {}, true});
    return handle;
}

std::unique_ptr<CopyHandle> makeCopy(const std::string& name, const py::object& src,
                                     const py::object& dst, std::optional<uint64_t> srcOffset,
                                     std::optional<uint64_t> dstOffset,
                                     std::optional<uint64_t> byteCount,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    auto handle = std::make_unique<CopyHandle>();
    handle->launcher = std::make_shared<CopyLauncher>(
        name, toCopyEnd(src, "src", false), toCopyEnd(dst, "dst", true),
        CopyRange{srcOffset.value_or(0), dstOffset.value_or(0), byteCount},
        toQueue(defaultQueue, "default_queue"), profiler.value_or(nullptr));
    return handle;
}

std::unique_ptr<FillHandle> makeFill(const std::string& name, const py::object& dst,
                                     const py::object& value, uint64_t offset,
                                     std::optional<uint64_t> byteCount,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    const auto& tensor = handleOf<TensorHandle>(dst, "dst");
    KernelArgument element;
    element.name = "value";
    element.kind = ArgumentKind::ePushConstant;
    element.type = toScalarType(tensor.dtype);
    element.bytes = static_cast<uint32_t>(tensor.dtype.itemsize());
    auto handle = std::make_unique<FillHandle>();
    handle->launcher = std::make_shared<FillLauncher>(
        name, std::dynamic_pointer_cast<Tensor>(tensor.memory),
        toArgument(value, &element, name, "value"), offset, byteCount,
        toQueue(defaultQueue, "default_queue"), profiler.value_or(nullptr));
    return handle;
}

std::unique_ptr<LauncherHandle> makeOwn(const std::string& name, const OptionalSink& profiler) {
    auto handle = std::make_unique<LauncherHandle>();
    handle->launcher = std::make_shared<PythonLauncher>(name, profiler.value_or(nullptr));
    return handle;
}

// --- calls ---------------------------------------------------------------------------------------

PyObject* orNone(PyObject* value) {
    return value ? value : Py_None;
}

/// The classes whose calls are the library's.
std::vector<PyObject*> gOwnTypes;

bool isOwnType(PyObject* type) {
    return std::find(gOwnTypes.begin(), gOwnTypes.end(), type) != gOwnTypes.end();
}

py::handle typeOf(py::handle object) {
    return py::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
}

/// Notices a check_kernel_arg that a derived class defines.
void noteOwnCheck(py::handle object, LauncherHandle& handle) {
    const py::handle type = typeOf(object);
    if (handle.checks || isOwnType(type.ptr()) || !py::hasattr(type, "check_kernel_arg"))
        return;
    static const py::handle own =
        py::object(py::module_::import("kp._kp").attr("KernelLauncher").attr("check_kernel_arg"))
            .release();
    handle.checks = !py::object(type.attr("check_kernel_arg")).is(own);
}

/// Lets a check_kernel_arg of the user's own look at a parameter first.
void checkOwn(PyObject* self, const LauncherHandle& handle, PyObject* name, PyObject* value) {
    for (const ParameterSpec& spec : handle.specs)
        if (!spec.anything && PyUnicode_CompareWithASCIIString(name, spec.name.c_str()) == 0)
            py::handle(self).attr("check_kernel_arg")(py::handle(value), spec.expected.index,
                                                      spec.name, typeName(spec.expected));
}

template <size_t Count>
PyObject* call(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names,
               const char* const (&known)[Count]) {
    return guarded([&] {
        auto& handle = handleOf<LauncherHandle>(self);
        releaseHeld();
        PyObject* taken[Count] = {};
        if (count > static_cast<Py_ssize_t>(Count))
            throw py::type_error("launcher '" + handle.launcher->name() + "' takes at most " +
                                 std::to_string(Count) + " arguments by position, not " +
                                 std::to_string(count));
        std::copy_n(values, count, taken);
        const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
        std::vector<Py_ssize_t> parameters;
        for (Py_ssize_t i = 0; i < named; ++i) {
            size_t place = 0;
            while (place < Count &&
                   PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), known[place]) != 0)
                ++place;
            if (place == Count) {
                parameters.push_back(i);
                continue;
            }
            if (taken[place])
                throw py::type_error("launcher '" + handle.launcher->name() + "' got '" +
                                     known[place] + "' twice");
            taken[place] = values[count + i];
        }
        LaunchOptions options;
        options.queue = toQueue(orNone(taken[0]), "queue");
        options.waitFor = toEvents(orNone(taken[1]));
        for (size_t place = 2; place < Count; ++place) {
            PyObject* const value = orNone(taken[place]);
            if (known[place] == std::string_view("global_work_size"))
                options.globalSize = toWorkSize(value, "global_work_size");
            else if (known[place] == std::string_view("local_work_size"))
                options.localSize = toWorkSize(value, "local_work_size");
            else if (taken[place])
                options.enqueueBarrier = PyObject_IsTrue(value) == 1;
        }
        noteOwnCheck(self, handle);
        limitInFlight(handle);
        std::optional<Event> event;
        {
            RunningCall running(taken[0], handle);
            for (const Py_ssize_t i : parameters) {
                PyObject* const name = PyTuple_GET_ITEM(names, i);
                if (handle.checks)
                    checkOwn(self, handle, name, values[count + i]);
                addParameter(options.parameters, running, handle, name, values[count + i]);
            }
            event = (*handle.launcher)(options);
        }
        if (!event)
            return py::none().release().ptr();
        noteInFlight(handle, *event);
        return py::cast(std::move(*event)).release().ptr();
    });
}

constexpr const char* kPlain[] = {"queue", "wait_for"};
constexpr const char* kSized[] = {"queue", "wait_for", "global_work_size", "local_work_size"};
constexpr const char* kIterated[] = {"queue", "wait_for", "enqueue_barrier", "global_work_size",
                                     "local_work_size"};

PyObject* callPlain(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return call(self, values, count, names, kPlain);
}
PyObject* callSized(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return call(self, values, count, names, kSized);
}
PyObject* callIterated(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return call(self, values, count, names, kIterated);
}

PyMethodDef gCallPlain = fastMethod(
    "__call__", callPlain,
    "__call__(self, queue: kp._kp.Queue | None = None, wait_for: "
    "collections.abc.Iterable[kp._kp.Event | None] | kp._kp.Event | None = None, **parameters: "
    "typing.Any) -> kp._kp.Event\n\n"
    "Launches and returns at once.");
PyMethodDef gCallSized = fastMethod(
    "__call__", callSized,
    "__call__(self, queue: kp._kp.Queue | None = None, wait_for: "
    "collections.abc.Iterable[kp._kp.Event | None] | kp._kp.Event | None = None, "
    "global_work_size: collections.abc.Sequence[int] | int | None = None, local_work_size: "
    "collections.abc.Sequence[int] | int | None = None, **parameters: typing.Any) -> "
    "kp._kp.Event\n\n"
    "Launches and returns at once. What is not given is the launcher's default.");
PyMethodDef gCallIterated = fastMethod(
    "__call__", callIterated,
    "__call__(self, queue: kp._kp.Queue | None = None, wait_for: "
    "collections.abc.Iterable[kp._kp.Event | None] | kp._kp.Event | None = None, "
    "enqueue_barrier: bool = True, global_work_size: collections.abc.Sequence[int] | int | None = "
    "None, local_work_size: collections.abc.Sequence[int] | int | None = None, **parameters: "
    "typing.Any) -> kp._kp.Event | None\n\n"
    "Launches the kernel once for each value, in one submission. An out-of-order queue gets a\n"
    "barrier afterwards unless `enqueue_barrier` is False; then there is no event.");

void setCall(py::handle type, PyMethodDef& method) {
    gOwnTypes.push_back(type.ptr());
    type.attr("__call__") = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));
}

// --- classes -------------------------------------------------------------------------------------

Launcher& launcherOf(py::handle object) {
    return *handleOf<LauncherHandle>(object).launcher;
}

KernelLauncherHandle& kernelLauncherOf(py::handle object) {
    return py::cast<KernelLauncherHandle&>(object);
}

/// True for classes made in Python, whose C++ side asks them.
bool isPython(py::handle object) {
    return dynamic_cast<PythonLauncher*>(&launcherOf(object)) != nullptr;
}

void bindBase(py::class_<LauncherHandle>& type) {
    type.def(py::init(&makeOwn), py::arg("name"), py::arg("profiler") = py::none())
        .def(
            "__call__",
            [](py::handle self, const py::args&, const py::kwargs&) -> Event {
                PyErr_Format(PyExc_NotImplementedError, "%s must define __call__()",
                             Py_TYPE(self.ptr())->tp_name);
                throw py::error_already_set();
            },
            "Launches and returns the event. Classes of one's own define it, with the keywords\n"
            "queue and wait_for and their parameters.")
        .def_property_readonly(
            "name", [](py::handle self) { return launcherOf(self).name(); },
            "Its name in errors, trace and statistics.")
        .def(
            "global_size_configured",
            [](py::handle self) {
                return isPython(self) || launcherOf(self).globalSizeConfigured();
            },
            "Whether a call needs no global size.")
        .def(
            "parameters",
            [](py::handle self) {
                py::dict types;
                if (isPython(self))
                    return types;
                for (const ParameterInfo& info : launcherOf(self).parameters())
                    types[info.name.c_str()] = info.type;
                return types;
            },
            "Names and types of the parameters that calls take.")
        .def_property_readonly(
            "events", [](py::handle self) { return launcherOf(self).events(); },
            "Profiled launches since `statistics` was read last, and those unfinished then.")
        .def_property_readonly(
            "statistics", [](py::handle self) { return launcherOf(self).statistics(); },
            "Times of all profiled runs that are done by now. Never waits; what is unfinished\n"
            "stays in `events` and counts the next time.")
        .def(
            "clear_statistics", [](py::handle self) { launcherOf(self).clearStatistics(); },
            "Starts anew, without the events so far.")
        .def(
            "_register_event",
            [](py::handle self, const Event& event) { launcherOf(self).runLog().add(event, 0); },
            py::arg("event"), "Adds an event to `events`; for launchers of one's own.")
        .def("__repr__", [](py::handle self) {
            return std::string("<kp.launcher.") + Py_TYPE(self.ptr())->tp_name + " '" +
                   launcherOf(self).name() + "'>";
        });
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

std::shared_ptr<Launcher> launcherForList(py::handle object) {
    auto& handle = handleOf<LauncherHandle>(object);
    noteOwnCheck(object, handle);
    const py::object called = typeOf(object).attr("__call__");
    for (const py::handle base : py::reinterpret_borrow<py::tuple>(Py_TYPE(object.ptr())->tp_mro))
        if (isOwnType(base.ptr()) && called.is(py::object(base.attr("__call__"))))
            return handle.launcher;
    auto launcher = std::dynamic_pointer_cast<PythonLauncher>(handle.launcher);
    if (!launcher)
        launcher = std::make_shared<PythonLauncher>(handle.launcher->name(), nullptr);
    launcher->setSelf(object.ptr());
    return launcher;
}

void checkOwnParameter(PyObject* self, PyObject* name, PyObject* value) {
    checkOwn(self, handleOf<LauncherHandle>(self), name, value);
}

void bindLaunchers(py::module_& module) {
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

    py::class_<LauncherHandle> base(module, "Launcher",
                                    "Something that is launched on a queue. A call returns at\n"
                                    "once, with an event.");
    gType<LauncherHandle> = reinterpret_cast<PyTypeObject*>(base.ptr());
    bindBase(base);

    py::class_<HostHandle, LauncherHandle> host(
        module, "HostLauncher",
        "A Python function among kernels. It runs on a thread of the library when everything\n"
        "before it is done, and what comes after waits for it. What it raises is raised in those\n"
        "who wait for the event, and fails what depends on it.");
    host.def(py::init(&makeHost), py::arg("name"), py::arg("function"),
             py::arg("parameters") = py::tuple(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none());
    setCall(host, gCallPlain);

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
    setCall(kernel, gCallSized);

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
    setCall(parametrized, gCallSized);

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
    setCall(iterative, gCallIterated);

    const char* const copyKeywords = "Offsets and counts are bytes.";
    py::class_<CopyHandle, LauncherHandle> copy(
        module, "CopyLauncher",
        (std::string(
             "Copies between tensors, or between a tensor and an array, which is kept alive\n"
             "until the copy is done. Images are copied whole. ") +
         copyKeywords)
            .c_str());
    copy.def(py::init(&makeCopy), py::arg("varname"), py::arg("src"), py::arg("dst"),
             py::arg("src_device_offset") = py::none(), py::arg("dst_device_offset") = py::none(),
             py::arg("byte_count") = py::none(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none());
    setCall(copy, gCallPlain);

    py::class_<FillHandle, LauncherHandle> fill(
        module, "FillLauncher", "Fills a tensor, or a range of bytes of it, with one number.");
    fill.def(py::init(&makeFill), py::arg("varname"), py::arg("dst"), py::arg("value"),
             py::arg("dst_device_offset") = 0, py::arg("byte_count") = py::none(),
             py::arg("default_queue") = py::none(), py::arg("profiler") = py::none());
    setCall(fill, gCallPlain);
}

} // namespace kp::python
