// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "CallArguments.hpp"
#include "Errors.hpp"
#include "Held.hpp"
#include "LauncherClasses.hpp"
#include "PythonLauncher.hpp"

namespace kp::python {
namespace {

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

PyMethodDef& methodFor(CallForm form) {
    switch (form) {
    case CallForm::eSized:
        return gCallSized;
    case CallForm::eIterated:
        return gCallIterated;
    default:
        return gCallPlain;
    }
}

} // namespace

void setCall(py::handle type, CallForm form) {
    gOwnTypes.push_back(type.ptr());
    type.attr("__call__") = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &methodFor(form)));
}

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

} // namespace kp::python
