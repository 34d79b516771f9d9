// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include "base/Waiting.hpp"

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
        .def("host_function", &hostFunction, "function"_a, "wait_for"_a = py::none(), doc(R"(
                 Calls a function on a thread of the library when all of `wait_for` (and, in an
                 in-order queue, all earlier launches) are done. Waiting for the event raises the
                 function's exception. The function must not wait for later work.)"))
        .def("finish", &finish, doc(R"(
            Waits for all earlier launches on this queue. Failures are reported by their events.)"))
        .def("__repr__", &describeQueue);
}

} // namespace kp::python
