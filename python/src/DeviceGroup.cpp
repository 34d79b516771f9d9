// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Arrays.hpp"
#include "Groups.hpp"
#include "Managers.hpp"
#include "Module.hpp"
#include "Waiting.hpp"

namespace kp::python {
namespace {

constexpr std::pair<const char*, ExchangePath> kPaths[] = {{"auto", ExchangePath::eAuto},
                                                           {"shared", ExchangePath::eSharedMemory},
                                                           {"peer", ExchangePath::ePeerMemory},
                                                           {"host", ExchangePath::eHostMemory},
                                                           {"staging", ExchangePath::eStaging}};

ExchangePath toExchangePath(const std::string& name) {
    for (const auto& [known, path] : kPaths)
        if (name == known)
            return path;
    throw InvalidArgument(
        "exchange is \"auto\", \"shared\", \"peer\", \"host\" or \"staging\", not \"" + name +
        "\"");
}

const char* nameOf(ExchangePath path) {
    for (const auto& [name, known] : kPaths)
        if (path == known)
            return name;
    return "auto";
}

/// None, a whole number, or several.
std::vector<uint32_t> toNumbers(py::handle numbers, const char* argument) {
    std::vector<uint32_t> result;
    const auto add = [&](py::handle number) {
        const uint64_t value = toCount(number, argument);
        if (value > UINT32_MAX)
            throw InvalidArgument(std::string(argument) + " has " + std::to_string(value) +
                                  ", which is too much");
        result.push_back(static_cast<uint32_t>(value));
    };
    if (numbers.is_none())
        return result;
    if (!PySequence_Check(numbers.ptr()) || PyUnicode_Check(numbers.ptr()))
        add(numbers);
    else
        for (const py::handle number : numbers)
            add(number);
    return result;
}

std::shared_ptr<GroupHandle> makeGroup(const py::object& deviceIds, const py::object& queueCounts,
                                       const py::object& queueFamilies, const std::string& exchange,
                                       const std::vector<std::string>& desiredExtensions,
                                       const std::vector<std::string>& requiredExtensions,
                                       const std::string& validation, const std::string& wait,
                                       const std::string& cacheFolder, bool timelineSemaphores) {
    requireThisProcess();
    DeviceGroupOptions options;
    options.deviceIds = toNumbers(deviceIds, "device_ids");
    options.queueCounts = toNumbers(queueCounts, "queue_counts");
    if (!queueFamilies.is_none())
        for (const py::handle families : queueFamilies)
            options.queueFamilies.push_back(toNumbers(families, "queue_families"));
    options.exchange = toExchangePath(exchange);
    options.manager.desiredExtensions = desiredExtensions;
    options.manager.requiredExtensions = requiredExtensions;
    options.manager.validation = validation;
    options.manager.waitPolicy = toWaitPolicy(wait);
    options.manager.cacheFolder = cacheFolder;
    options.manager.timelineSemaphores = timelineSemaphores;
    auto handle = std::make_shared<GroupHandle>();
    {
        const py::gil_scoped_release release;
        handle->group = endWithoutGil(std::make_shared<DeviceGroup>(options));
    }
    noteDriverUse();
    const DeviceGroup& group = *handle->group;
    py::list managers;
    for (size_t i = 0; i < group.size(); ++i) {
        awaitAtExit(group.manager(i));
        auto manager = std::make_shared<ManagerHandle>();
        manager->manager = endWithoutGil(group.manager(i));
        managers.append(py::cast(manager));
    }
    py::list queues;
    for (uint32_t i = 0; i < group.queueCount(); ++i) {
        auto queue = std::make_unique<QueueHandle>();
        queue->manager = py::cast<std::shared_ptr<ManagerHandle>>(managers[group.deviceOfQueue(i)]);
        queue->queue = group.queue(i);
        queues.append(py::cast(std::move(queue)));
    }
    handle->managers = managers;
    handle->queues = queues;
    return handle;
}

GroupHandle& groupOf(py::handle self) {
    return handleOf<GroupHandle>(self);
}

void waitIdle(py::handle self) {
    GroupHandle& handle = groupOf(self);
    if (!handle.group->isInit())
        handle.group->waitIdle(); // says so
    for (uint32_t i = 0; i < handle.group->queueCount(); ++i) {
        try {
            waitFor(handle.group->queue(i)->barrier());
        } catch (const py::error_already_set&) { // Ctrl-C
            throw;
        } catch (const std::exception&) { // failures are for those who hold the events
        }
    }
    withoutGil(handle, [&] { handle.group->waitIdle(); });
}

void destroy(py::handle self) {
    GroupHandle& handle = groupOf(self);
    requireUnused(handle, "group");
    if (!handle.group->isInit())
        return;
    for (const py::handle manager : handle.managers)
        requireUnused(handleOf<ManagerHandle>(manager), "group");
    withoutGil(handle, [&] {
        for (size_t i = 0; i < handle.group->size(); ++i) {
            try {
                if (handle.group->manager(i)->isInit())
                    handle.group->manager(i)->waitIdle();
            } catch (const DeviceLost&) { // it runs nothing any more
            }
        }
    });
    requireUnused(handle, "group");
    handle.group->destroy();
}

std::string describe(py::handle self) {
    const DeviceGroup& group = *groupOf(self).group;
    if (!group.isInit())
        return "<kp.DeviceGroup destroyed>";
    const auto counted = [](size_t count, const std::string& noun) {
        return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    };
    std::string names;
    for (size_t i = 0; i < group.size(); ++i)
        names += (i > 0 ? ", \"" : "\"") + group[i].deviceInfo().name + "\"";
    return "<kp.DeviceGroup of " + counted(group.size(), "device") + " and " +
           counted(group.queueCount(), "queue") + ": " + names + ">";
}

void bindLimits(py::module_& module) {
    py::class_<GroupLimits>(module, "GroupLimits",
                            "What holds on every device of a group: the least of each limit.")
        .def_property_readonly(
            "max_work_group_count",
            [](const GroupLimits& limits) { return toTuple(limits.maxWorkgroupCount); },
            "Work groups in x, y and z.")
        .def_property_readonly(
            "max_work_group_size",
            [](const GroupLimits& limits) { return toTuple(limits.maxWorkgroupSize); },
            "Work items of a group in x, y and z.")
        .def_readonly("max_work_group_invocations", &GroupLimits::maxWorkgroupInvocations,
                      "Work items of a group in all.")
        .def_readonly("memory_bytes", &GroupLimits::memoryBytes, "Of the smallest device.")
        .def_readonly("timestamps_supported", &GroupLimits::timestamps,
                      "Whether all devices have timestamps.")
        .def("__repr__", [](const GroupLimits& limits) {
            return "<kp.GroupLimits memory_bytes=" + std::to_string(limits.memoryBytes) +
                   " max_work_group_invocations=" + std::to_string(limits.maxWorkgroupInvocations) +
                   ">";
        });
}

void bindMembers(GroupClass& type) {
    type.def("__len__", [](py::handle self) { return groupOf(self).group->size(); })
        .def("__getitem__",
             [](py::handle self, const py::object& index) {
                 return py::object(groupOf(self).managers[index]);
             })
        .def("__iter__", [](py::handle self) { return py::iter(groupOf(self).managers); })
        .def_property_readonly(
            "device_ids", [](py::handle self) { return groupOf(self).group->deviceIds(); },
            "Place of each device in list_devices().")
        .def_property_readonly(
            "queues", [](py::handle self) { return groupOf(self).queues; },
            "The queues of all devices: those of the first, of the second, and so on.")
        .def_property_readonly(
            "queue_count", [](py::handle self) { return groupOf(self).group->queueCount(); },
            "Number of queues of all devices together.")
        .def(
            "queue",
            [](py::handle self, const py::object& index) {
                const GroupHandle& handle = groupOf(self);
                return py::object(
                    handle.queues[toIndexOf(index, handle.group->queueCount(), "index")]);
            },
            py::arg("index"), "One of the queues.")
        .def(
            "device_of_queue",
            [](py::handle self, const py::object& index) {
                const DeviceGroup& group = *groupOf(self).group;
                return group.deviceOfQueue(toIndexOf(index, group.queueCount(), "index"));
            },
            py::arg("index"), "Which device of the group a queue belongs to.")
        .def(
            "first_queue_of",
            [](py::handle self, const py::object& device) {
                const DeviceGroup& group = *groupOf(self).group;
                return group.firstQueueOf(
                    toIndexOf(device, static_cast<uint32_t>(group.size()), "device"));
            },
            py::arg("device"), "The index of the first queue of a device.")
        .def_property_readonly(
            "limits", [](py::handle self) { return groupOf(self).group->limits(); },
            "What holds on every device.")
        .def(
            "exchange_path",
            [](py::handle self, const py::object& source,
               const py::object& destination) -> std::optional<std::string> {
                const DeviceGroup& group = *groupOf(self).group;
                const auto count = static_cast<uint32_t>(group.size());
                const uint32_t from = toIndexOf(source, count, "source");
                const uint32_t to = toIndexOf(destination, count, "destination");
                if (const auto path = group.exchangePath(from, to))
                    return nameOf(*path);
                return std::nullopt;
            },
            py::arg("source"), py::arg("destination"),
            "How data travel between two devices: \"shared\" (memory that both have open),\n"
            "\"peer\" (from GPU to GPU, past the host), \"host\" (both reach the same host "
            "memory)\n"
            "or \"staging\" (the host copies between the two). None within one device.");
}

} // namespace

void bindDeviceGroup(py::module_& module) {
    bindLimits(module);
    GroupClass type(
        module, "DeviceGroup",
        "Several devices as one: a Manager for each, and their queues in one row.\n\n"
        "`group[i]` is the Manager of a device, and `group.queue(i)` one of the queues of all\n"
        "devices. Buffers and kernels of a group keep its devices.");
    gType<GroupHandle> = reinterpret_cast<PyTypeObject*>(type.ptr());
    type.def(
        py::init(&makeGroup), py::arg("device_ids") = py::none(),
        py::arg("queue_counts") = py::none(), py::arg("queue_families") = py::none(), py::kw_only(),
        py::arg("exchange") = "auto", py::arg("desired_extensions") = py::list(),
        py::arg("required_extensions") = py::list(), py::arg("validation") = "",
        py::arg("wait") = "auto", py::arg("cache_folder") = "",
        py::arg("timeline_semaphores") = true,
        "Without arguments: every GPU, or what the environment variable KOMPUTE_DEVICE names,\n"
        "or else the software driver.\n\n"
        "`device_ids` are places in list_devices(); the same place twice gives two logical\n"
        "devices on one physical one. `queue_counts` is the number of queues of each device,\n"
        "or one number for all; `queue_families` has for each device a list with the family\n"
        "of each queue instead. `exchange` forces the way data travel between devices, for\n"
        "tests: see exchange_path(). The rest is as for Manager.");
    bindMembers(type);
    bindGroupLaunch(type);
    type.def("wait_idle", &waitIdle,
             "Waits until every device has done everything it was given, and everything on the\n"
             "group's queues is over.")
        .def(
            "is_init", [](py::handle self) { return groupOf(self).group->isInit(); },
            "False after destroy().")
        .def("destroy", &destroy,
             "Destroys everything that the group's managers made, after the work that uses it. A\n"
             "second call does nothing.")
        .def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [](py::handle self, const py::args&) { destroy(self); })
        .def("__repr__", &describe);
}

} // namespace kp::python
