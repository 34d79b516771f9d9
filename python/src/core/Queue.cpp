// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <kompute/arrays/Engine.hpp>

#include "base/CallArguments.hpp"
#include "base/Errors.hpp"
#include "base/Waiting.hpp"
#include "core/Operations.hpp"

namespace kp::python {
namespace {

std::unique_ptr<QueueHandle> makeQueue(py::handle self, uint32_t index, bool inOrder,
                                       bool profiling) {
    auto handle = std::make_unique<QueueHandle>();
    handle->manager = sharedOf<ManagerHandle>(self);
    handle->queue = handle->manager->manager->queue(index, inOrder, profiling);
    return handle;
}

std::unique_ptr<QueueHandle> defaultQueue(py::handle self) {
    auto handle = std::make_unique<QueueHandle>();
    handle->manager = sharedOf<ManagerHandle>(self);
    handle->queue = handle->manager->manager->defaultQueue();
    return handle;
}

Queue& queueOf(py::handle object) {
    return *handleOf<QueueHandle>(object).queue;
}

Manager* managerOf(py::handle queue) {
    return handleOf<QueueHandle>(queue).manager->manager.get();
}

Event hostFunction(py::handle self, const py::object& function, const py::object& waitFor) {
    return queueOf(self).hostFunction(
        [call = holdFunction(function, "function")] { callFromLibrary(call); },
        toEvents(waitFor, managerOf(self)));
}

void finish(py::handle self) {
    const Event end = queueOf(self).barrier();
    try {
        waitFor(end);
    } catch (const py::error_already_set&) { // Ctrl-C
        throw;
    } catch (const DeviceLost&) {
        throw;
    } catch (const std::exception&) { // the holders of the failed events get it
    }
}

/// Waits without the GIL as long as a launch would wait for the device.
void waitForRoom(const Queue& queue) {
    const Event ready = queue.ready();
    if (ready.status() != EventStatus::eComplete)
        waitForEnd(ready);
}

/// Returns an operation of the library. A launch that waits for the host is recorded by a thread of
/// the library, which does not run Python code. @throws TypeError
std::shared_ptr<OpBase> toOwnOperation(PyObject* object) {
    std::vector<std::shared_ptr<OpBase>> derived;
    std::shared_ptr<OpBase> operation = toOperation(object, &derived);
    if (!derived.empty())
        throw py::type_error(
            formatted("a queue launches the library's operations, not a {}; record "
                      "operations of your own in a sequence",
                      typeNameOf(object)));
    return operation;
}

Event launch(py::handle self, const py::object& operations, const py::object& waitFor) {
    std::vector<std::shared_ptr<OpBase>> given;
    if (PyList_Check(operations.ptr()) || PyTuple_Check(operations.ptr()))
        for (const py::handle each : operations)
            given.push_back(toOwnOperation(each.ptr()));
    else
        given.push_back(toOwnOperation(operations.ptr()));
    Queue& queue = queueOf(self);
    waitForRoom(queue);
    return queue.launch(std::move(given), toEvents(waitFor, managerOf(self)));
}

/// Manager._launch(), called by CPython directly: each array function that uses a primitive does.
PyObject* launchOnDefault(PyObject* self, PyObject* const* values, Py_ssize_t count) {
    return guarded([&] {
        const auto& handle = handleOf<ManagerHandle>(self);
        std::vector<std::shared_ptr<OpBase>> operations;
        operations.reserve(static_cast<size_t>(count));
        for (Py_ssize_t i = 0; i < count; ++i)
            operations.push_back(toOwnOperation(values[i]));
        waitForRoom(*handle.manager->defaultQueue());
        arrays::launch(*handle.manager, std::move(operations));
        return py::none().release().ptr();
    });
}

PyMethodDef gLaunch = {
    "_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launchOnDefault)),
    METH_FASTCALL,
    methodDoc("_launch", "(self: kp._kp.Manager, *operations: kp._kp.OpBase) -> None",
              "Launches operations on the default queue, one after the other.")};

py::dict activityOf(py::handle self) {
    const Activity activity = handleOf<ManagerHandle>(self).manager->activity();
    return py::dict("launches"_a = activity.launches, "submissions"_a = activity.submissions,
                    "waits"_a = activity.waits);
}

std::string describeQueue(py::handle self) {
    const Queue& queue = queueOf(self);
    return formatted("<kp.Queue \"{}\"{}{}>", queue.name(), queue.inOrder() ? "" : " out-of-order",
                     queue.profiling() ? " profiling" : "");
}

} // namespace

void bindQueue(Classes& classes) {
    classes.manager.def("queue", &makeQueue, "index"_a = 0, "in_order"_a = true,
                        "profiling"_a = false, doc(R"(
        A queue on the manager's VkQueue with this index. A queue with a higher index is virtual: it
        shares VkQueue 0, and its name says so. In an in-order queue each launch comes after all
        earlier ones; in another only wait_for, barrier() and shared memory order launches.)"));
    classes.manager.def_property_readonly("default_queue", &defaultQueue, doc(R"(
        The queue of launchers that are given none: an in-order queue on the first VkQueue, always
        the same one, so all these launches are ordered.)"));
    classes.manager.def("activity", &activityOf, doc(R"(
        Activity of the manager's device so far, for all managers that share it: "launches" of
        launchers, sequences and arrays; "submissions", which may have many launches; "waits" of
        threads for submitted work, finished or not. Subtract two results to see the activity in
        between.)"));
    addMethod(classes.manager, gLaunch);
    Members(classes.queue, queueOf)
        .property("index", &Queue::index, "As given.")
        .property("name", &Queue::name,
                  "\"queue 2\", with the suffix \" (virtual, on queue 0)\" for a virtual queue.")
        .property("in_order", &Queue::inOrder, "Whether each launch comes after all earlier ones.")
        .property("is_virtual", &Queue::isVirtual,
                  "Whether it shares the VkQueue of another index.")
        .property("device_name", &Queue::deviceName, "Name of its device.")
        .property("queue_family", &Queue::queueFamily, "Vulkan's index of its queue family.")
        .property("profiling", &Queue::profiling,
                  "Whether launches are timed; always False if the device has no timestamps.")
        .def(
            "set_profiling",
            [](py::handle self, bool profiling) { queueOf(self).setProfiling(profiling); },
            "profiling"_a, "Switches timing on or off for later launches.")
        .def(
            "barrier",
            [](py::handle self, const py::object& waitFor) {
                return queueOf(self).barrier(toEvents(waitFor, managerOf(self)));
            },
            "wait_for"_a = py::none(), doc(R"(
                An event that is done when all earlier launches on this queue, and all of
                `wait_for`, are done. Later launches on this queue come after it.)"))
        .def("launch", &launch, "operations"_a, "wait_for"_a = py::none(), doc(R"(
                 Launches an operation of the library, or several one after the other, and returns an
                 event at once.
                 They start after all of `wait_for` and, in an in-order queue, after all earlier
                 launches.)"))
        .def("host_function", &hostFunction, "function"_a, "wait_for"_a = py::none(), doc(R"(
                 Calls a function on a thread of the library when all of `wait_for` (and, in an
                 in-order queue, all earlier launches) are done. Waiting for the event raises the
                 function's exception. The function must not wait for later work.)"))
        .def("finish", &finish, doc(R"(
            Waits for all earlier launches on this queue. Failures are reported by their events.)"))
        .def("__repr__", &describeQueue);
}

} // namespace kp::python
