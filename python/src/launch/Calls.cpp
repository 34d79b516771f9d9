// SPDX-License-Identifier: Apache-2.0
#include "launch/Calls.hpp"

#include <array>

#include <kompute/launch/Trace.hpp>

#include "base/CallArguments.hpp"
#include "base/Errors.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"
#include "launch/LaunchArguments.hpp"

namespace kp::python {
namespace {

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

template <typename Handle>
Parameters parametersIn(Handle& handle, const py::dict& given) {
    RunningCall running(nullptr, handle);
    Parameters parameters;
    for (const auto& [name, value] : given)
        addParameter(parameters, running, handle, name.ptr(), value.ptr());
    return parameters;
}

} // namespace

Parameters prepareCall(LauncherHandle& handle, const py::dict& parameters) {
    if (!handle.ready)
        handle.prepare(nullptr, {});
    return parametersIn(handle, parameters);
}

Parameters prepareCall(ListHandle& handle, const py::dict& parameters) {
    if (!handle.unready.empty())
        handle.prepare(nullptr, {});
    return parametersIn(handle, parameters);
}

bool isLibraryType(PyTypeObject* type) {
    return libraryType(type) != nullptr;
}

void noteOwnCheck(py::handle object, LauncherHandle& handle) {
    const py::handle type = py::type::handle_of(object);
    if (handle.checks || libraryType(Py_TYPE(object.ptr())) ||
        !py::hasattr(type, "check_kernel_arg"))
        return;
    static const py::handle own =
        py::object(ofPackage("KernelLauncher").attr("check_kernel_arg")).release();
    handle.checks = !py::object(type.attr("check_kernel_arg")).is(own);
}

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

} // namespace kp::python
