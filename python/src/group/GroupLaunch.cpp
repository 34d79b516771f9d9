// SPDX-License-Identifier: Apache-2.0
#include "group/GroupLaunch.hpp"

#include "base/Held.hpp"
#include "core/Event.hpp"

namespace kp::python {
namespace {

/// Calls a Python function for a device.
std::optional<Event> callTask(const GroupHandle& handle, py::handle function, uint32_t queue,
                              const std::vector<Event>& waitFor) {
    return withinLibrary([&]() -> std::optional<Event> {
        const py::object result =
            function(handle.managers[handle.group->deviceOfQueue(queue)], queue, waitFor);
        if (result.is_none())
            return std::nullopt;
        return handleOf<Event>(result, "the result of function");
    });
}

std::vector<Event> forEach(py::handle self, const py::object& function, const py::object& target,
                           const py::object& waitFor) {
    auto& handle = handleOf<GroupHandle>(self);
    requireCallable(function, "function");
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
    type.def("for_each", &forEach, py::arg("function"), py::arg("target") = "all",
             py::arg("wait_for") = py::none(), doc(R"(
                 Calls `function(manager, queue_index, wait_for)` once for each device that `target`
                 selects, in this thread; it returns an Event, or None if its work is done. `target`
                 is "all", "any" (the device with the least work) or the index of a queue.

                 Raises the exception of the first call. The exception of a later call fails the
                 event of its device, since the others are already running. Returns an event for
                 each selected device.
             )"))
        .def("_launch_algorithms", &launchAlgorithms, py::arg("algorithms"), py::arg("target"),
             py::arg("wait_for"), "launch() of algorithms.");
}

} // namespace kp::python
