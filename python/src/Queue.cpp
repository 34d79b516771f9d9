// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Events.hpp"
#include "Held.hpp"
#include "Module.hpp"
#include "Waiting.hpp"

namespace kp::python {
namespace {

Queue& queueOf(py::handle object) {
    return *handleOf<QueueHandle>(object).queue;
}

Event hostFunction(py::handle self, const py::object& function, const py::object& waitFor) {
    if (!PyCallable_Check(function.ptr()))
        throw py::type_error(std::string("function is something to call, not a ") +
                             Py_TYPE(function.ptr())->tp_name);
    return queueOf(self).hostFunction(
        [call = hold(function), keywords = hold(py::dict())] { callFromLibrary(call, keywords); },
        toEvents(waitFor));
}

} // namespace

void bindQueue(Classes& classes) {
    classes.manager.def(
        "queue",
        [](py::handle self, uint32_t index, bool inOrder, bool profiling) {
            Manager& manager = *handleOf<ManagerHandle>(self).manager;
            auto handle = std::make_unique<QueueHandle>();
            handle->manager = py::cast<std::shared_ptr<ManagerHandle>>(self);
            handle->queue = manager.queue(index, inOrder, profiling);
            return handle;
        },
        py::arg("index") = 0, py::arg("in_order") = true, py::arg("profiling") = false,
        "A line of work on the manager's queue of this index. Past the last it is virtual: it\n"
        "shares queue 0 and says so. In an in-order queue each launch comes after all before it;\n"
        "in another only wait_for, barrier() and the memory that launches share give an order.");
    classes.queue
        .def_property_readonly(
            "index", [](py::handle self) { return queueOf(self).index(); }, "As asked for.")
        .def_property_readonly(
            "name", [](py::handle self) { return queueOf(self).name(); },
            "\"queue 2\", with \" (virtual, on queue 0)\" where it is.")
        .def_property_readonly(
            "in_order", [](py::handle self) { return queueOf(self).inOrder(); },
            "Whether each launch comes after all before it.")
        .def_property_readonly(
            "is_virtual", [](py::handle self) { return queueOf(self).isVirtual(); },
            "Whether it shares the device's queue with that of another index.")
        .def_property_readonly(
            "device_name", [](py::handle self) { return queueOf(self).deviceName(); },
            "Name of its device.")
        .def_property_readonly(
            "queue_family", [](py::handle self) { return queueOf(self).queueFamily(); },
            "Vulkan's index of its queue family.")
        .def_property_readonly(
            "profiling", [](py::handle self) { return queueOf(self).profiling(); },
            "Whether launches are timed; False also where the device cannot.")
        .def(
            "set_profiling",
            [](py::handle self, bool profiling) { queueOf(self).setProfiling(profiling); },
            py::arg("profiling"), "Switches timing for launches from now on.")
        .def(
            "barrier",
            [](py::handle self, const py::object& waitFor) {
                return queueOf(self).barrier(toEvents(waitFor));
            },
            py::arg("wait_for") = py::none(),
            "An event that is done when all launched on this queue so far, and all of `wait_for`,\n"
            "is done. Later launches of this queue come after it.")
        .def("host_function", &hostFunction, py::arg("function"), py::arg("wait_for") = py::none(),
             "Calls a function in a thread of the library when all of `wait_for` (and, in an\n"
             "in-order queue, everything before) is done. What it raises is raised in those who\n"
             "wait for the event. It must not wait for what comes after it.")
        .def(
            "finish",
            [](py::handle self) {
                Queue& queue = queueOf(self);
                const Event end = queue.barrier();
                try {
                    waitFor(end);
                } catch (const py::error_already_set&) {
                    throw;
                } catch (const DeviceLost&) {
                    throw;
                } catch (const std::exception&) { // failures are for those who hold the events
                }
            },
            "Waits for everything launched on this queue so far. Failures are left to those who\n"
            "hold the events.")
        .def("__repr__", [](py::handle self) {
            const Queue& queue = queueOf(self);
            return "<kp.Queue \"" + queue.name() + "\"" + (queue.inOrder() ? "" : " out-of-order") +
                   (queue.profiling() ? " profiling" : "") + ">";
        });
}

} // namespace kp::python
