// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "CallArguments.hpp"
#include "Errors.hpp"
#include "Held.hpp"
#include "Launchers.hpp"
#include "Module.hpp"
#include "Waiting.hpp"

namespace kp::python {
namespace {

KernelListLauncher& listOf(py::handle object) {
    return *handleOf<ListHandle>(object).list;
}

/// What parameters of the members look like, for the conversion of Python values.
void addSpecs(ListHandle& list, const Launcher& launcher, py::handle member) {
    const auto& specs = handleOf<LauncherHandle>(member).specs;
    if (!specs.empty()) {
        for (const ParameterSpec& spec : specs) {
            bool known = false;
            for (const ParameterSpec& other : list.specs)
                known |= other.name == spec.name && other.anything == spec.anything;
            if (!known)
                list.specs.push_back(spec);
        }
        return;
    }
    for (const ParameterInfo& info : launcher.parameters())
        list.specs.push_back({info.name, launcher.name(), {}, true});
}

void pushOne(ListHandle& list, py::handle object) {
    if (object.is_none())
        return;
    if (list.busy)
        throw InvalidArgument("list '" + list.list->name() +
                              "' is in a call; it cannot be changed meanwhile");
    if (PyObject_TypeCheck(object.ptr(), gType<ListHandle>)) {
        auto& other = handleOf<ListHandle>(object);
        list.list->push(other.list);
        const py::list members = other.members.attr("copy")(); // the list may be this one
        const std::vector<ParameterSpec> specs = other.specs;
        list.checked |= other.checked;
        for (const py::handle member : members)
            list.members.append(member);
        if (&other != &list)
            list.specs.insert(list.specs.end(), specs.begin(), specs.end());
        return;
    }
    if (!PyObject_TypeCheck(object.ptr(), gType<LauncherHandle>))
        throw py::type_error("list '" + list.list->name() +
                             "' takes launchers, lists of launchers and None, not a " +
                             Py_TYPE(object.ptr())->tp_name);
    const std::shared_ptr<Launcher> launcher = launcherForList(object);
    list.list->push(launcher);
    list.members.append(object);
    list.checked |= handleOf<LauncherHandle>(object).checks;
    addSpecs(list, *launcher, object);
}

PyObject* callList(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<ListHandle>(self);
        releaseHeld();
        if (count > 2)
            throw py::type_error("list '" + handle.list->name() +
                                 "' takes a queue and wait_for by position, not " +
                                 std::to_string(count) + " arguments");
        PyObject* queue = count > 0 ? values[0] : nullptr;
        PyObject* events = count > 1 ? values[1] : nullptr;
        const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
        uint64_t isParameter = 0;
        std::vector<bool> parameter(static_cast<size_t>(named), false);
        for (Py_ssize_t i = 0; i < named; ++i) {
            PyObject* const name = PyTuple_GET_ITEM(names, i);
            PyObject** const known = PyUnicode_CompareWithASCIIString(name, "queue") == 0 ? &queue
                                     : PyUnicode_CompareWithASCIIString(name, "wait_for") == 0
                                         ? &events
                                         : nullptr;
            if (!known) {
                parameter[static_cast<size_t>(i)] = true;
                ++isParameter;
                continue;
            }
            if (*known)
                throw py::type_error("list '" + handle.list->name() + "' got an argument twice");
            *known = values[count + i];
        }
        const std::shared_ptr<Queue> target = toQueue(queue ? queue : Py_None, "queue");
        std::vector<Event> waits = toEvents(events ? events : Py_None);
        if (target && handle.list->size() == 0 && isParameter == 0) {
            // An empty list waits on the host, here without the GIL.
            waitForAll(waits);
            waits.clear();
        }
        limitInFlight(handle);
        Event event;
        {
            RunningCall running(queue, handle);
            Parameters parameters;
            parameters.reserve(isParameter);
            for (Py_ssize_t i = 0; i < named; ++i) {
                if (!parameter[static_cast<size_t>(i)])
                    continue;
                PyObject* const name = PyTuple_GET_ITEM(names, i);
                if (handle.checked)
                    for (const py::handle member : handle.members)
                        if (handleOf<LauncherHandle>(member).checks)
                            checkOwnParameter(member.ptr(), name, values[count + i]);
                addParameter(parameters, running, handle, name, values[count + i]);
            }
            event = (*handle.list)(target, waits, parameters);
        }
        noteInFlight(handle, event);
        return py::cast(std::move(event)).release().ptr();
    });
}

PyMethodDef gCall = fastMethod(
    "__call__", callList,
    "__call__(self, queue: kp._kp.Queue | None = None, wait_for: "
    "collections.abc.Iterable[kp._kp.Event | None] | kp._kp.Event | None = None, **parameters: "
    "typing.Any) -> kp._kp.Event\n\n"
    "Launches everything on the queue, in order; only the first waits for `wait_for`. An empty\n"
    "list waits for them itself. Returns at once, with the event of the last.");

py::object pushKernels(const py::object& self, const py::args& launchers) {
    auto& handle = handleOf<ListHandle>(self);
    for (const py::handle launcher : launchers)
        pushOne(handle, launcher);
    return self;
}

/// Pushes a launcher of the library's own making, as an object like any other.
py::object pushMade(const py::object& self, const char* type, const py::object& name,
                    const py::object& src, const py::object& dst, const py::kwargs& more) {
    const py::object made = py::module_::import("kp._kp").attr(type)(name, src, dst, **more);
    pushOne(handleOf<ListHandle>(self), made);
    return self;
}

[[noreturn]] void refuseEnds(const std::string& name, const char* what) {
    throw InvalidArgument("launcher '" + name + "': a copy from " + what);
}

bool onDevice(py::handle object) {
    return PyObject_TypeCheck(object.ptr(), gType<MemoryHandle>);
}

py::dict describeParameters(const KernelListLauncher& list) {
    py::dict parameters;
    for (const ParameterInfo& info : list.parameters())
        parameters[info.name.c_str()] = py::make_tuple(info.type, info.launchers);
    return parameters;
}

void bindCopies(py::class_<ListHandle>& type) {
    using namespace py::literals;
    type.def(
            "push_copy_host_device",
            [](const py::object& self, const py::object& name, const py::object& src,
               const py::object& dst, const py::object& srcOffset, const py::object& dstOffset,
               const py::object& bytes) {
                return pushMade(self, "CopyLauncher", name, src, dst,
                                py::kwargs(py::dict("src_device_offset"_a = srcOffset,
                                                    "dst_device_offset"_a = dstOffset,
                                                    "byte_count"_a = bytes)));
            },
            py::arg("varname"), py::arg("src"), py::arg("dst"),
            py::arg("src_device_offset") = py::none(), py::arg("dst_device_offset") = py::none(),
            py::arg("byte_count") = py::none(),
            "Appends a copy between tensors, or a tensor and an array, in bytes.")
        .def(
            "push_copy_device_to_device",
            [](const py::object& self, const py::object& name, const py::object& src,
               const py::object& dst, const py::object& srcOffset, const py::object& dstOffset,
               const py::object& bytes) {
                if (!onDevice(src) || !onDevice(dst))
                    refuseEnds(py::str(name), "device to device has a tensor on both ends");
                return pushMade(self, "CopyLauncher", name, src, dst,
                                py::kwargs(py::dict("src_device_offset"_a = srcOffset,
                                                    "dst_device_offset"_a = dstOffset,
                                                    "byte_count"_a = bytes)));
            },
            py::arg("varname"), py::arg("src"), py::arg("dst"),
            py::arg("src_device_offset") = py::none(), py::arg("dst_device_offset") = py::none(),
            py::arg("byte_count") = py::none(), "Appends a copy between tensors.")
        .def(
            "push_copy_host_to_device",
            [](const py::object& self, const py::object& name, const py::object& src,
               const py::object& dst, const py::object& dstOffset) {
                if (onDevice(src) || !onDevice(dst))
                    refuseEnds(py::str(name), "host to device goes from an array to a tensor");
                return pushMade(self, "CopyLauncher", name, src, dst,
                                py::kwargs(py::dict("dst_device_offset"_a = dstOffset)));
            },
            py::arg("varname"), py::arg("src"), py::arg("dst"),
            py::arg("dst_device_offset") = py::none(),
            "Appends a copy from an array, as it is when the copy runs.")
        .def(
            "push_copy_device_to_host",
            [](const py::object& self, const py::object& name, const py::object& src,
               const py::object& dst, const py::object& srcOffset) {
                if (!onDevice(src) || onDevice(dst))
                    refuseEnds(py::str(name), "device to host goes from a tensor to an array");
                return pushMade(self, "CopyLauncher", name, src, dst,
                                py::kwargs(py::dict("src_device_offset"_a = srcOffset)));
            },
            py::arg("varname"), py::arg("src"), py::arg("dst"),
            py::arg("src_device_offset") = py::none(), "Appends a copy to an array.");
}

} // namespace

void bindKernelList(py::module_& module) {
    py::class_<ListHandle> type(
        module, "KernelListLauncher",
        "Launchers that run one after the other on the queue given with the call, in one\n"
        "submission. Host launchers, and copies of arrays, split it; the call returns at once all\n"
        "the same.");
    gType<ListHandle> = reinterpret_cast<PyTypeObject*>(type.ptr());
    type.def(py::init([](const std::string& name,
                         const std::optional<std::shared_ptr<TimingSink>>& profiler) {
                 auto handle = std::make_unique<ListHandle>();
                 handle->list =
                     std::make_shared<KernelListLauncher>(name, profiler.value_or(nullptr));
                 return handle;
             }),
             py::arg("name"), py::arg("profiler") = py::none())
        .def("push_kernels", &pushKernels,
             "Appends launchers, and those of lists; None is ignored. Gives the list.")
        .def(
            "__iadd__",
            [](const py::object& self, const py::object& launcher) {
                pushOne(handleOf<ListHandle>(self), launcher);
                return self;
            },
            py::arg("launcher"), "push_kernels() of one.")
        .def_property_readonly(
            "name", [](py::handle self) { return listOf(self).name(); }, "As given.")
        .def_property_readonly(
            "launchers",
            [](py::handle self) { return handleOf<ListHandle>(self).members.attr("copy")(); },
            "What was pushed, lists taken apart.")
        .def("__len__", [](py::handle self) { return listOf(self).size(); })
        .def_property_readonly(
            "parameters", [](py::handle self) { return describeParameters(listOf(self)); },
            "Name -> (type, names of the launchers that take it).")
        .def_property_readonly(
            "events", [](py::handle self) { return listOf(self).events(); },
            "Profiled launches of this list since `statistics` was read last, and those\n"
            "unfinished then.")
        .def_property_readonly(
            "statistics", [](py::handle self) { return listOf(self).statistics(); },
            "Times of the profiled runs that are done, by launcher name. Never waits.")
        .def(
            "clear_statistics", [](py::handle self) { listOf(self).clearStatistics(); },
            "Starts anew, without the events so far.")
        .def("__repr__", [](py::handle self) {
            return "<kp.launcher.KernelListLauncher '" + listOf(self).name() + "' of " +
                   std::to_string(listOf(self).size()) + ">";
        });
    bindCopies(type);
    type.attr("__call__") = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &gCall));
}

} // namespace kp::python
