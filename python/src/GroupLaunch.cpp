// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Groups.hpp"
#include "Held.hpp"

namespace kp::python {
namespace {

/// Calls a Python function for a device. What it raises goes through the library as it is.
std::optional<Event> callTask(const GroupHandle& handle, py::handle function, uint32_t queue,
                              const std::vector<Event>& waitFor) {
    return withinLibrary([&]() -> std::optional<Event> {
        const py::object result =
            function(handle.managers[handle.group->deviceOfQueue(queue)], queue, waitFor);
        if (result.is_none())
            return std::nullopt;
        return handleOf<Event>(result, "what the function gives");
    });
}

std::vector<Event> forEach(py::handle self, const py::object& function, const py::object& target,
                           const py::object& waitFor) {
    GroupHandle& handle = handleOf<GroupHandle>(self);
    if (!PyCallable_Check(function.ptr()))
        throw py::type_error(std::string("function is something to call, not a ") +
                             Py_TYPE(function.ptr())->tp_name);
    const GroupTarget where = toGroupTarget(target, handle);
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(handle, [&] {
        return handle.group->forEach(
            [&](Manager&, uint32_t queue, const std::vector<Event>& given) {
                return callTask(handle, function, queue, given);
            },
            where, waits);
    });
}

std::vector<Event> launchAlgorithms(py::handle self, const py::object& algorithms,
                                    const py::object& target, const py::object& waitFor) {
    GroupHandle& handle = handleOf<GroupHandle>(self);
    std::vector<std::shared_ptr<Algorithm>> launched;
    std::vector<AlgorithmHandle*> used;
    for (const py::handle algorithm : algorithms) {
        used.push_back(&handleOf<AlgorithmHandle>(algorithm, "an entry of what"));
        launched.push_back(used.back()->algorithm);
    }
    const GroupTarget where = toGroupTarget(target, handle);
    const std::vector<Event> waits = toEvents(waitFor);
    const Uses<AlgorithmHandle> uses(used);
    return withoutGil(handle, [&] { return handle.group->launch(launched, waits, where); });
}

} // namespace

void bindGroupLaunch(GroupClass& type) {
    type.def(
            "for_each", &forEach, py::arg("function"), py::arg("target") = "all",
            py::arg("wait_for") = py::none(),
            "Calls `function(manager, queue_index, wait_for)` for each device that `target`\n"
            "chooses, exactly once each, in this thread; it gives an Event, or None where nothing\n"
            "is left to wait for. `target` is \"all\", \"any\" (the device with the least to do) "
            "or\n"
            "the index of a queue.\n\n"
            "What the first call raises is raised. What a later one raises fails the event of its\n"
            "device, since the others are on their way. Gives an event for each device chosen.")
        .def("_launch_algorithms", &launchAlgorithms, py::arg("algorithms"), py::arg("target"),
             py::arg("wait_for"), "launch() of algorithms.");
}

} // namespace kp::python
