// SPDX-License-Identifier: Apache-2.0
#include "launch/LauncherCall.hpp"

#include <algorithm>

#include "base/CallArguments.hpp"
#include "base/Errors.hpp"
#include "base/Held.hpp"
#include "base/Waiting.hpp"
#include "core/Event.hpp"
#include "launch/LaunchArguments.hpp"
#include "launch/PythonLauncher.hpp"

namespace kp::python {
namespace {

thread_local RunningCall* tCall = nullptr;

/// Fewer than the library accepts before a launch waits for the oldest.
constexpr size_t kMaxInFlight = 24;

/// The classes whose calls are the library's.
std::vector<PyObject*> gLauncherTypes;

bool isLibraryType(PyObject* type) {
    return std::find(gLauncherTypes.begin(), gLauncherTypes.end(), type) != gLauncherTypes.end();
}

/// Notices a check_kernel_arg that a derived class defines.
void noteOwnCheck(py::handle object, LauncherHandle& handle) {
    const py::handle type = py::type::handle_of(object);
    if (handle.checks || isLibraryType(type.ptr()) || !py::hasattr(type, "check_kernel_arg"))
        return;
    static const py::handle own =
        py::object(py::module_::import("kp._kp").attr("KernelLauncher").attr("check_kernel_arg"))
            .release();
    handle.checks = !py::object(type.attr("check_kernel_arg")).is(own);
}

/// Calls a check_kernel_arg of the user with a parameter.
void checkOwn(PyObject* self, const LauncherHandle& handle, PyObject* name, PyObject* value) {
    for (const ParameterSpec& spec : handle.specs)
        if (!spec.anything && PyUnicode_CompareWithASCIIString(name, spec.name.c_str()) == 0)
            py::handle(self).attr("check_kernel_arg")(py::handle(value), spec.expected.index,
                                                      spec.name, typeName(spec.expected));
}

/// Bounds the launches in flight before the library has to, which would wait with the GIL.
void limitInFlight(Callable& callable) {
    while (callable.recent.size() >= kMaxInFlight) {
        const Event oldest = std::move(callable.recent.front());
        callable.recent.pop_front();
        // Work that waits on the host is not bounded.
        if (oldest.value() != 0 && !oldest.done())
            waitFor(oldest);
    }
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

/// The arguments of a call: known keywords by position or name, and parameters by name.
struct GivenArguments {
    static constexpr size_t kMaxKeywords = 5;

    /// @param noun   "launcher" or "list", for messages
    /// @param known  the keywords, in the order of their positions
    GivenArguments(const char* noun, const std::string& callee, PyObject* const* values,
                   Py_ssize_t count, PyObject* names, const std::vector<const char*>& known) {
        if (count > static_cast<Py_ssize_t>(known.size()))
            throw py::type_error(formatted("{} '{}' takes at most {} arguments by position, not {}",
                                           noun, callee, known.size(), count));
        std::copy_n(values, count, keywords);
        const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
        for (Py_ssize_t i = 0; i < named; ++i) {
            PyObject* const name = PyTuple_GET_ITEM(names, i);
            size_t place = 0;
            while (place < known.size() &&
                   PyUnicode_CompareWithASCIIString(name, known[place]) != 0)
                ++place;
            if (place == known.size()) {
                parameters.emplace_back(name, values[count + i]);
                continue;
            }
            if (keywords[place])
                throw py::type_error(
                    formatted("{} '{}' got '{}' twice", noun, callee, known[place]));
            keywords[place] = values[count + i];
        }
    }

    py::handle at(size_t place) const { return keywords[place] ? keywords[place] : Py_None; }

    PyObject* keywords[kMaxKeywords] = {}; ///< null: not given
    std::vector<std::pair<PyObject*, PyObject*>> parameters;
};

const std::vector<const char*> kPlain = {"queue", "wait_for"};
const std::vector<const char*> kSized = {"queue", "wait_for", "global_work_size",
                                         "local_work_size"};
const std::vector<const char*> kIterated = {"queue", "wait_for", "enqueue_barrier",
                                            "global_work_size", "local_work_size"};

PyObject* call(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names,
               const std::vector<const char*>& known) {
    return guarded([&] {
        auto& handle = handleOf<LauncherHandle>(self);
        releaseHeld();
        const GivenArguments given("launcher", handle.launcher->name(), values, count, names,
                                   known);
        LaunchOptions options;
        options.queue = toQueue(given.at(0), "queue");
        options.waitFor = toEvents(given.at(1));
        if (known.size() > 2) {
            options.globalSize = toWorkSize(given.at(known.size() - 2), "global_work_size");
            options.localSize = toWorkSize(given.at(known.size() - 1), "local_work_size");
        }
        if (known.size() > 4 && given.keywords[2])
            options.enqueueBarrier = PyObject_IsTrue(given.keywords[2]) == 1;
        noteOwnCheck(self, handle);
        limitInFlight(handle);
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
        if (!event)
            return py::none().release().ptr();
        handle.recent.push_back(*event);
        return py::cast(std::move(*event)).release().ptr();
    });
}

PyObject* callPlain(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return call(self, values, count, names, kPlain);
}
PyObject* callSized(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return call(self, values, count, names, kSized);
}
PyObject* callIterated(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return call(self, values, count, names, kIterated);
}

PyObject* callList(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<ListHandle>(self);
        releaseHeld();
        const GivenArguments given("list", handle.list->name(), values, count, names, kPlain);
        const std::shared_ptr<Queue> target = toQueue(given.at(0), "queue");
        std::vector<Event> waits = toEvents(given.at(1));
        if (target && handle.list->size() == 0 && given.parameters.empty()) {
            // An empty list waits on the host, here without the GIL.
            waitForAll(waits);
            waits.clear();
        }
        limitInFlight(handle);
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
        handle.recent.push_back(event);
        return py::cast(std::move(event)).release().ptr();
    });
}

// Signatures of calls: the start, sizes, and the end.
const std::string kQueue =
    "(self, queue: kp._kp.Queue | None = None, "
    "wait_for: collections.abc.Iterable[kp._kp.Event | None] | kp._kp.Event | None = None, ";
const std::string kSizes = "global_work_size: collections.abc.Sequence[int] | int | None = None, "
                           "local_work_size: collections.abc.Sequence[int] | int | None = None, ";
const std::string kReturn = "**parameters: typing.Any) -> kp._kp.Event";

PyMethodDef gCallPlain =
    fastMethod("__call__", callPlain, kQueue + kReturn, "Launches and returns at once.");
PyMethodDef gCallSized =
    fastMethod("__call__", callSized, kQueue + kSizes + kReturn,
               "Launches and returns at once. Missing sizes are the launcher's defaults.");
PyMethodDef gCallIterated =
    fastMethod("__call__", callIterated,
               kQueue + "enqueue_barrier: bool = True, " + kSizes + kReturn + " | None",
               R"(
    Launches the kernel once for each value, in one submission. An out-of-order queue gets a barrier
    afterwards unless `enqueue_barrier` is False; then there is no event.)");
PyMethodDef gCallList = fastMethod("__call__", callList, kQueue + kReturn, R"(
    Launches everything on the queue, in order; only the first waits for `wait_for`. An empty list
    waits for them itself. Returns at once, with the event of the last launch.)");

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
    gLauncherTypes.push_back(type.ptr());
    addMethod(type, form == CallForm::ePlain   ? gCallPlain
                    : form == CallForm::eSized ? gCallSized
                                               : gCallIterated);
}

void setListCall(py::handle type) {
    addMethod(type, gCallList);
}

std::shared_ptr<Launcher> launcherForList(py::handle object) {
    auto& handle = handleOf<LauncherHandle>(object);
    noteOwnCheck(object, handle);
    const py::object called = py::type::handle_of(object).attr("__call__");
    for (const py::handle base : py::reinterpret_borrow<py::tuple>(Py_TYPE(object.ptr())->tp_mro))
        if (isLibraryType(base.ptr()) && called.is(py::object(base.attr("__call__"))))
            return handle.launcher;
    auto launcher = std::dynamic_pointer_cast<PythonLauncher>(handle.launcher);
    if (!launcher)
        launcher = std::make_shared<PythonLauncher>(handle.launcher->name(), nullptr);
    launcher->setSelf(object.ptr());
    return launcher;
}

} // namespace kp::python
