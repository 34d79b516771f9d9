// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Module.hpp"
#include "Waiting.hpp"

namespace kp::python {

void bindEvent(Classes& classes) {
    classes.event.def(py::init<>(), "An event that is done already.")
        .def_property_readonly(
            "done", [](py::handle self) { return handleOf<Event>(self).done(); },
            "True once the device has finished the work. Never waits.")
        .def_property_readonly(
            "value", [](py::handle self) { return handleOf<Event>(self).value(); },
            "The queue's count at this point.")
        .def(
            "wait",
            [](py::handle self, std::optional<double> timeout) {
                const Event event = handleOf<Event>(self);
                if (!timeout)
                    return waitFor(event);
                if (!(*timeout >= 0))
                    throw py::value_error("timeout is a number of seconds, 0 or more");
                const double nanoseconds = *timeout * 1e9;
                return waitFor(event, nanoseconds < 1.8e19 ? static_cast<uint64_t>(nanoseconds)
                                                           : UINT64_MAX);
            },
            py::arg("timeout") = py::none(),
            "Waits until the work is done, or `timeout` seconds are over; says which.")
        .def("__await__",
             [](const py::object& self) {
                 return py::module_::import("kp._waiting")
                     .attr("wait_event")(self)
                     .attr("__await__")();
             })
        .def("__repr__", [](py::handle self) {
            return std::string("<kp.Event ") + (handleOf<Event>(self).done() ? "done" : "pending") +
                   ">";
        });
}

} // namespace kp::python
