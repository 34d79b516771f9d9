// SPDX-License-Identifier: Apache-2.0
#include "launch/Launcher.hpp"

#include <algorithm>

#include <kompute/launch/Trace.hpp>

#include "base/CallArguments.hpp"
#include "base/Errors.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"
#include "launch/LaunchArguments.hpp"

namespace kp::python {
namespace {

/// A launcher whose __call__ is Python, in a list.
class PythonLauncher final : public Launcher {
public:
    PythonLauncher(std::string name, std::shared_ptr<TimingSink> profiler)
        : Launcher(std::move(name), std::move(profiler)) {}

    /// @param self  outlives every list that calls this
    void setSelf(PyObject* self) { mSelf = self; }

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override {
        const RunningCall* const call = RunningCall::current();
        py::dict keywords;
        if (call && call->queue)
            keywords["queue"] = py::handle(call->queue);
        keywords["wait_for"] = py::cast(options.waitFor);
        for (const Parameter& parameter : options.parameters)
            if (PyObject* const value = call ? call->find(parameter.name) : nullptr)
                keywords[parameter.name.c_str()] = py::handle(value);
        const py::object result = py::handle(mSelf)(**keywords);
        if (result.is_none())
            return std::nullopt;
        return handleOf<Event>(result, formatted("the result of launcher '{}'", name()).c_str());
    }

    bool globalSizeConfigured() const override {
        return !mSelf || py::cast<bool>(py::handle(mSelf).attr("global_size_configured")());
    }

    std::vector<ParameterInfo> parameters() const override {
        std::vector<ParameterInfo> infos;
        if (mSelf)
            for (const py::handle parameter : py::handle(mSelf).attr("parameters")())
                infos.push_back({toText(parameter, "a parameter"), "anything", {name()}});
        return infos;
    }

private:
    PyObject* mSelf = nullptr; ///< borrowed
};

template <typename Handle>
std::unique_ptr<Handle> makeLauncher(const std::string& name, const OptionalSink& profiler) {
    auto handle = std::make_unique<Handle>();
    handle->launcher = std::make_shared<PythonLauncher>(name, profiler.value_or(nullptr));
    return handle;
}

Launcher& launcherOf(py::handle object) {
    return *handleOf<LauncherHandle>(object).launcher;
}

/// Returns true for classes defined in Python, whose methods the C++ side calls.
bool isPython(py::handle object) {
    return dynamic_cast<PythonLauncher*>(&launcherOf(object)) != nullptr;
}

Event callUndefined(py::handle self, const py::args&, const py::kwargs&) {
    PyErr_Format(PyExc_NotImplementedError, "%s must define __call__()", typeNameOf(self));
    throw py::error_already_set();
}

py::dict parametersOf(py::handle self) {
    py::dict types;
    if (isPython(self))
        return types;
    for (const ParameterInfo& info : launcherOf(self).parameters())
        types[info.name.c_str()] = info.type;
    return types;
}

/// The check of a launcher that has no kernel of its own.
void checkArgumentType(py::handle self, const py::object& value, uint32_t index,
                       const py::object& name, const py::object& type) {
    const std::string& launcher = launcherOf(self).name();
    const std::string shown = name.is_none() ? std::to_string(index) : std::string(py::str(name));
    const auto refuse = [&](const std::string& expected, const std::string& given) {
        throw InvalidArgument(formatted("launcher '{}': argument {} '{}' is a {}, but was given {}",
                                        launcher, index, shown, expected, given));
    };
    if (PyType_Check(type.ptr()) &&
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), gType<MemoryHandle>)) {
        if (!PyObject_TypeCheck(value.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())))
            refuse(reprOf(type), reprOf(value));
        return;
    }
    KernelArgument expected;
    expected.index = index;
    expected.kind = ArgumentKind::ePushConstant;
    expected.type = toScalarType(type);
    if (expected.type == shader::ScalarType::eUnknown)
        return;
    // Without an expected type, NumPy's numbers keep theirs.
    const bool typed = py::hasattr(value, "dtype");
    const ArgumentValue given = toArgument(value, typed ? nullptr : &expected, launcher, shown);
    if (given.kind() != ArgumentValue::Kind::eNumbers || given.type() != expected.type)
        refuse(typeName(expected), given.describe());
}

/// Runs a Python function. Its parameters are Python objects, which the library never sees.
class PythonHostLauncher final : public HostLauncher {
public:
    PythonHostLauncher(const std::string& name, const py::object& function,
                       std::vector<std::string> parameters, std::shared_ptr<Queue> defaultQueue,
                       std::shared_ptr<TimingSink> profiler)
        : HostLauncher(
              name, [](const Parameters&) {}, parameters, std::move(defaultQueue),
              std::move(profiler)),
          mFunction(holdFunction(function, formatted("launcher '{}': function", name))),
          mNames(std::move(parameters)) {}

private:
    std::function<void()> bindParameters(const LaunchOptions&) const override {
        py::dict given;
        const RunningCall* const call = RunningCall::current();
        for (const std::string& wanted : mNames) {
            PyObject* const value = call ? call->find(wanted) : nullptr;
            if (!value)
                throw InvalidArgument(
                    formatted("launcher '{}': parameter '{}' is missing", name(), wanted));
            given[wanted.c_str()] = py::handle(value);
        }
        return
            [function = mFunction, keywords = hold(given)] { callFromLibrary(function, keywords); };
    }

    Held mFunction;
    std::vector<std::string> mNames;
};

/// A kp.launcher.HostLauncher.
struct HostHandle final : HostInterfaceHandle {};

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

thread_local RunningCall* tCall = nullptr;

/// A class whose calls are the library's.
struct CallableType {
    PyTypeObject* type;
    vectorcallfunc call;
};
std::vector<CallableType> gCallableTypes;

/// Returns null for classes defined in Python.
const CallableType* libraryType(PyTypeObject* type) {
    for (const CallableType& each : gCallableTypes)
        if (each.type == type)
            return &each;
    return nullptr;
}

/// Makes CPython call an object directly from now on, unless its class is defined in Python.
void callDirectly(PyObject* self) {
    if (const CallableType* const known = libraryType(Py_TYPE(self)))
        *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(self) +
                                           known->type->tp_vectorcall_offset) = known->call;
}

/// Notices a check_kernel_arg that a derived class defines.
void noteOwnCheck(py::handle object, LauncherHandle& handle) {
    const py::handle type = py::type::handle_of(object);
    if (handle.checks || libraryType(Py_TYPE(object.ptr())) ||
        !py::hasattr(type, "check_kernel_arg"))
        return;
    static const py::handle own =
        py::object(ofPackage("KernelLauncher").attr("check_kernel_arg")).release();
    handle.checks = !py::object(type.attr("check_kernel_arg")).is(own);
}

/// Calls a check_kernel_arg of the user with a parameter.
void checkOwn(PyObject* self, const LauncherHandle& handle, PyObject* name, PyObject* value) {
    for (const ParameterSpec& spec : handle.specs)
        if (!spec.anything && PyUnicode_CompareWithASCIIString(name, spec.name.c_str()) == 0)
            py::handle(self).attr("check_kernel_arg")(py::handle(value), spec.expected.index,
                                                      spec.name, typeName(spec.expected));
}

/// Waits until a call does not wait for the device, which it would do with the GIL.
template <typename Target>
void awaitReady(const Target& target) {
    const Event ready = target.ready();
    if (ready.status() != EventStatus::eComplete)
        waitForEnd(ready);
}

void profileAs(const std::string& name, py::handle launched, const Event& event) {
    if (shouldProfileKernel(name))
        ofPackage("profile_kernel")(launched, event);
}

/// Profiles a launch. @param event  empty for iterations without a barrier
void profile(py::handle launched, const Launcher& launcher, const std::optional<Event>& event) {
    const std::vector<Event> launches = event ? std::vector<Event>{*event} : launcher.events();
    if (!launches.empty())
        profileAs(launcher.name(), launched, launches.back());
}

/// Adds a named argument of a call.
void addParameter(Parameters& parameters, RunningCall& call, const Callable& callable,
                  PyObject* name, PyObject* value) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text)
        throw py::error_already_set();
    std::string key(text, static_cast<size_t>(size));
    const ParameterSpec* found = nullptr;
    bool pythonTakesIt = false;
    for (const ParameterSpec& spec : callable.specs)
        if (spec.name == key) {
            pythonTakesIt |= spec.anything;
            if (!spec.anything && !found)
                found = &spec;
        }
    if (pythonTakesIt)
        call.given.emplace_back(key, value);
    ArgumentValue converted =
        found ? toArgument(value, &found->expected, found->launcher, key) : ArgumentValue();
    parameters.emplace_back(std::move(key), std::move(converted));
}

constexpr const char* kPlain[] = {"queue", "wait_for"};
constexpr const char* kSized[] = {"queue", "wait_for", "global_work_size", "local_work_size"};
constexpr const char* kIterated[] = {"queue", "wait_for", "enqueue_barrier", "global_work_size",
                                     "local_work_size"};

/// The arguments of a call: known keywords by position or name, and parameters by name.
template <size_t N>
struct GivenArguments {
    /// @param noun   "launcher" or "list", for messages
    /// @param known  the keywords, in the order of their positions
    GivenArguments(const char* noun, const std::string& callee, PyObject* const* values,
                   Py_ssize_t count, PyObject* names, const char* const (&known)[N]) {
        if (count > static_cast<Py_ssize_t>(N))
            throw py::type_error(formatted("{} '{}' takes at most {} arguments by position, not {}",
                                           noun, callee, N, count));
        keywords = argumentsOf(
            known, values, count, names, [&] { return formatted("{} '{}'", noun, callee); },
            [this](PyObject* name, PyObject* value) { parameters.emplace_back(name, value); });
    }

    py::handle at(size_t place) const { return keywords[place] ? keywords[place] : Py_None; }

    std::array<PyObject*, N> keywords; ///< null: not given
    std::vector<std::pair<PyObject*, PyObject*>> parameters;
};

/// Returns the manager of a call: its queue's, else its first tensor's; null if neither was given.
template <size_t N>
Manager* managerOf(const GivenArguments<N>& given) {
    if (isA<QueueHandle>(given.at(0)))
        return handleOf<QueueHandle>(given.at(0)).manager->manager.get();
    for (const auto& [name, value] : given.parameters)
        if (isA<MemoryHandle>(value))
            return handleOf<MemoryHandle>(value).manager->manager.get();
    return nullptr;
}

/// Returns the events of a call's wait_for.
template <size_t N>
std::vector<Event> waitsOf(const GivenArguments<N>& given) {
    const py::handle waitFor = given.at(1);
    if (waitFor.is_none() || isA<Event>(waitFor))
        return toEvents(waitFor);
    return toEvents(waitFor, managerOf(given));
}

/// A direct call of an object.
/// @tparam kKnown  the keywords of this form of call
template <const auto& kKnown>
PyObject* directCall(PyObject* self, PyObject* const* values, size_t count, PyObject* names) {
    return guarded([&] {
        constexpr size_t kCount = std::size(kKnown);
        auto& handle = handleOf<LauncherHandle>(self);
        releaseHeld();
        const GivenArguments given("launcher", handle.launcher->name(), values,
                                   PyVectorcall_NARGS(count), names, kKnown);
        LaunchOptions options;
        options.queue = toQueue(given.at(0), "queue");
        options.waitFor = waitsOf(given);
        if constexpr (kCount > 2) {
            options.globalSize = toWorkSize(given.at(kCount - 2), "global_work_size");
            options.localSize = toWorkSize(given.at(kCount - 1), "local_work_size");
        }
        if constexpr (kCount > 4)
            if (given.keywords[2])
                options.enqueueBarrier = PyObject_IsTrue(given.keywords[2]) == 1;
        awaitReady(*handle.launcher);
        std::optional<Event> event;
        {
            RunningCall running(given.keywords[0], handle);
            if (!handle.ready)
                handle.prepare(options.queue, options.waitFor);
            for (const auto& [name, value] : given.parameters) {
                if (handle.checks)
                    checkOwn(self, handle, name, value);
                addParameter(options.parameters, running, handle, name, value);
            }
            event = (*handle.launcher)(options);
        }
        if (profilesKernels())
            profile(self, *handle.launcher, event);
        return event ? toPython(std::move(*event)) : py::none().release().ptr();
    });
}

/// The method __call__.
template <const auto& kKnown>
PyObject* call(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    PyObject* const known = guarded([&] {
        noteOwnCheck(self, handleOf<LauncherHandle>(self));
        callDirectly(self);
        return self;
    });
    return known ? directCall<kKnown>(self, values, static_cast<size_t>(count), names) : nullptr;
}

PyObject* directListCall(PyObject* self, PyObject* const* values, size_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<ListHandle>(self);
        releaseHeld();
        const GivenArguments given("list", handle.list->name(), values, PyVectorcall_NARGS(count),
                                   names, kPlain);
        const std::shared_ptr<Queue> target = toQueue(given.at(0), "queue");
        std::vector<Event> waits = waitsOf(given);
        if (target && handle.list->size() == 0 && given.parameters.empty()) {
            // An empty list waits on the host, here without the GIL.
            waitForAll(waits);
            waits.clear();
        }
        awaitReady(*handle.list);
        Event event;
        {
            RunningCall running(given.keywords[0], handle);
            if (!handle.unready.empty())
                handle.prepare(target, waits);
            Parameters parameters;
            parameters.reserve(given.parameters.size());
            for (const auto& [name, value] : given.parameters) {
                if (handle.checked)
                    for (const py::handle member : handle.members)
                        if (const auto& launcher = handleOf<LauncherHandle>(member);
                            launcher.checks)
                            checkOwn(member.ptr(), launcher, name, value);
                addParameter(parameters, running, handle, name, value);
            }
            event = (*handle.list)(target, waits, parameters);
        }
        if (profilesKernels()) {
            const py::list members = handle.members.attr("copy")(); // another thread may push now
            for (const py::handle member : members)
                profileAs(handleOf<LauncherHandle>(member).launcher->name(), member, event);
            profileAs(handle.list->name(), self, event);
        }
        return toPython(std::move(event));
    });
}

PyObject* callList(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    callDirectly(self);
    return directListCall(self, values, static_cast<size_t>(count), names);
}

// Signatures of calls: the start, sizes, and the end.
const std::string kQueue = "(self, queue: kp._kp.Queue | None = None, "
                           "wait_for: collections.abc.Iterable[object] | object = None, ";
const std::string kSize = "collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | "
                          "numpy.ndarray | None = None, ";
const std::string kSizes = "global_work_size: " + kSize + "local_work_size: " + kSize;
const std::string kReturn = "**parameters: typing.Any) -> kp._kp.Event";

PyMethodDef gCallPlain =
    fastMethod("__call__", call<kPlain>, kQueue + kReturn, "Launches and returns at once.");
PyMethodDef gCallSized =
    fastMethod("__call__", call<kSized>, kQueue + kSizes + kReturn,
               "Launches and returns at once. Missing sizes are the launcher's defaults.");
PyMethodDef gCallIterated =
    fastMethod("__call__", call<kIterated>,
               kQueue + "enqueue_barrier: bool = True, " + kSizes + kReturn + " | None",
               R"(
    Launches the kernel once for each value, in one submission. An out-of-order queue gets a barrier
    afterwards unless `enqueue_barrier` is False; then there is no event.)");
PyMethodDef gCallList = fastMethod("__call__", callList, kQueue + kReturn, R"(
    Launches everything on the queue, in order; only the first waits for `wait_for`. An empty list
    waits for them itself. Returns at once, with the event of the last launch.)");

/// @param method  calls @p function
void addCall(py::handle type, PyMethodDef& method, vectorcallfunc function) {
    auto* const object = reinterpret_cast<PyTypeObject*>(type.ptr());
    addMethod(type, method);
    // Afterwards: a new __call__ clears the flag. Objects without a function use the method.
    object->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(object);
    gCallableTypes.push_back({object, function});
}

} // namespace

RunningCall::RunningCall(PyObject* queueOfCall, Callable& callable)
    : queue(queueOfCall), mCallable(callable), mOuter(tCall) {
    if (callable.busy)
        throw InvalidArgument(
            "this launcher is in a call already; its generators, launchers defined "
            "in Python and other threads cannot call it meanwhile");
    callable.busy = true;
    tCall = this;
}

RunningCall::~RunningCall() {
    tCall = mOuter;
    mCallable.busy = false;
}

RunningCall* RunningCall::current() {
    return tCall;
}

PyObject* RunningCall::find(const std::string& name) const {
    for (const auto& [known, value] : given)
        if (known == name)
            return value;
    return nullptr;
}

void setCall(py::handle type, CallForm form) {
    switch (form) {
    case CallForm::ePlain:
        return addCall(type, gCallPlain, directCall<kPlain>);
    case CallForm::eSized:
        return addCall(type, gCallSized, directCall<kSized>);
    case CallForm::eIterated:
        return addCall(type, gCallIterated, directCall<kIterated>);
    }
}

void setListCall(py::handle type) {
    addCall(type, gCallList, directListCall);
}

std::shared_ptr<Launcher> launcherForList(py::handle object) {
    auto& handle = handleOf<LauncherHandle>(object);
    noteOwnCheck(object, handle);
    const py::object called = py::type::handle_of(object).attr("__call__");
    for (const py::handle base : py::reinterpret_borrow<py::tuple>(Py_TYPE(object.ptr())->tp_mro))
        if (libraryType(reinterpret_cast<PyTypeObject*>(base.ptr())) &&
            called.is(py::object(base.attr("__call__"))))
            return handle.launcher;
    auto launcher = std::dynamic_pointer_cast<PythonLauncher>(handle.launcher);
    if (!launcher)
        launcher = std::make_shared<PythonLauncher>(handle.launcher->name(), nullptr);
    launcher->setSelf(object.ptr());
    return launcher;
}

void bindLauncher(py::module_& module) {
    auto type = callableClass<LauncherHandle>(module, "Launcher", doc(R"(
        Base of everything that can be launched on a queue. A call returns an event at once.
    )"));
    setType<LauncherHandle>(type);
    Members(type, launcherOf)
        .def(py::init(&makeLauncher<LauncherHandle>), "name"_a, "profiler"_a = py::none())
        .def("__call__", &callUndefined, doc(R"(
            Launches and returns the event. Derived classes define it, with the keywords queue and
            wait_for and their parameters.
        )"))
        .property("name", &Launcher::name, "Its name in errors, trace and statistics.")
        .def(
            "global_size_configured",
            [](py::handle self) {
                return isPython(self) || launcherOf(self).globalSizeConfigured();
            },
            "Whether calls need no global size.")
        .def("parameters", &parametersOf, "Names and types of the parameters of a call.")
        .property(
            "events", &Launcher::events,
            "Profiled launches since the last `statistics`, and those that were unfinished then.")
        .property("statistics", &Launcher::statistics, doc(R"(
                Times of all profiled launches that have finished. Never waits: unfinished launches
                stay in `events` and are counted by a later read.
            )"))
        .method("_notify_profiler", &Launcher::notifyProfiler,
                "Passes the launches that have finished to the profiler now.")
        .method("clear_statistics", &Launcher::clearStatistics, "Discards all times and events.")
        .def(
            "_register_event",
            [](py::handle self, const Event& event) { launcherOf(self).addLaunch(event); },
            "event"_a, "Adds an event to `events`; for derived classes.")
        .def("__repr__", [](py::handle self) {
            return formatted("<kp.launcher.{} '{}'>",
                             std::string(py::str(py::type::of(self).attr("__name__"))),
                             launcherOf(self).name());
        });

    callableClass<KernelInterfaceHandle, LauncherHandle>(module, "OpenClKernelLauncherI", doc(R"(
        Base of kernel launchers. Derived classes define __call__, which launches a kernel without
        further arguments.)"))
        .def(py::init(&makeLauncher<KernelInterfaceHandle>), "name"_a, "profiler"_a = py::none())
        .def("check_kernel_arg", &checkArgumentType, "arg"_a, "arg_id"_a, "arg_name"_a = py::none(),
             "arg_type"_a = py::none(), doc(R"(
                 Raises InvalidArgument if a value is not of a type: a class of memory, or a dtype,
                 which NumPy's numbers must have and Python's must fit.)"));

    callableClass<HostInterfaceHandle, LauncherHandle>(module, "HostLauncherI", doc(R"(
        Base of launchers of host functions. Derived classes define __call__.)"))
        .def(py::init(&makeLauncher<HostInterfaceHandle>), "name"_a, "profiler"_a = py::none());

    auto host = callableClass<HostHandle, HostInterfaceHandle>(module, "HostLauncher", doc(R"(
        Launches a Python function among kernels. It runs on a thread of the library when all work
        before it is done; work after it waits for it. If it raises, waiting for its event raises
        the same exception, and work that depends on it fails.
    )"));
    host.def(py::init(&makeHost), "name"_a, "function"_a, "parameters"_a = py::tuple(),
             "default_queue"_a = py::none(), "profiler"_a = py::none());
    setCall(host, CallForm::ePlain);
}

} // namespace kp::python
