// SPDX-License-Identifier: Apache-2.0
#include "group/Groups.hpp"

#include <deque>

#include "base/Closed.hpp"
#include "base/Gil.hpp"
#include "base/Waiting.hpp"

namespace kp::python {
namespace {

constexpr Named<ExchangePath> kPaths[] = {{"auto", ExchangePath::eAuto},
                                          {"shared", ExchangePath::eSharedMemory},
                                          {"peer", ExchangePath::ePeerMemory},
                                          {"host", ExchangePath::eHostMemory},
                                          {"staging", ExchangePath::eStaging}};

/// Returns None, a whole number, or several, as a list.
std::vector<uint32_t> toCounts(py::handle numbers, const char* argument) {
    std::vector<uint32_t> result;
    if (numbers.is_none())
        return result;
    for (const py::object& number : toNumbers(numbers, argument)) {
        const uint64_t value = toCount(number, argument);
        if (value > UINT32_MAX)
            throw InvalidArgument(
                formatted("{} has {}, which is over {}", argument, value, UINT32_MAX));
        result.push_back(static_cast<uint32_t>(value));
    }
    return result;
}

bool anyUnfinished(const DeviceGroup& group) {
    for (size_t i = 0; group.isInit() && i < group.size(); ++i)
        if (unfinished(*group.manager(i)))
            return true;
    return false;
}

std::shared_ptr<GroupHandle> makeGroup(const py::object& deviceIds, const py::object& queueCounts,
                                       const py::object& queueFamilies, const std::string& exchange,
                                       const std::vector<std::string>& desiredExtensions,
                                       const std::vector<std::string>& requiredExtensions,
                                       const std::string& validation, const std::string& wait,
                                       const py::object& cacheFolder, const py::object& cachePath,
                                       bool trustCachePath, bool timelineSemaphores, bool coalesce,
                                       bool reorder) {
    DeviceGroupOptions options;
    options.deviceIds = toCounts(deviceIds, "device_ids");
    options.queueCounts = toCounts(queueCounts, "queue_counts");
    if (!queueFamilies.is_none())
        for (const py::handle families : queueFamilies)
            options.queueFamilies.push_back(toCounts(families, "queue_families"));
    options.exchange = valueNamed(kPaths, exchange, "exchange");
    options.manager.desiredExtensions = desiredExtensions;
    options.manager.requiredExtensions = requiredExtensions;
    options.manager.validation = validation;
    options.manager.waitPolicy = toWaitPolicy(wait);
    options.manager.cacheFolder = toPath(cacheFolder);
    options.manager.cachePath = toPathList(cachePath);
    options.manager.trustCachePath = trustCachePath;
    options.manager.timelineSemaphores = timelineSemaphores;
    options.manager.coalesce = coalesce;
    options.manager.reorder = reorder;
    auto handle = std::make_shared<GroupHandle>();
    {
        const ReleaseGil release;
        handle->group = endWithoutGil(std::make_shared<DeviceGroup>(options), anyUnfinished);
    }
    const DeviceGroup& group = *handle->group;
    py::list managers;
    for (size_t i = 0; i < group.size(); ++i) {
        awaitAtExit(group.manager(i));
        auto manager = std::make_shared<ManagerHandle>();
        manager->manager = endWithoutGil(group.manager(i), unfinished);
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

DeviceGroup& devicesOf(py::handle self) {
    return *groupOf(self).group;
}

void waitIdle(py::handle self) {
    GroupHandle& handle = groupOf(self);
    if (!handle.group->isInit())
        handle.group->waitIdle(); // throws
    for (uint32_t i = 0; i < handle.group->queueCount(); ++i)
        waitForEnd(handle.group->queue(i)->barrier());
    withoutGil(handle, [&] { handle.group->waitIdle(); });
}

void destroyGroup(py::handle self) {
    GroupHandle& handle = groupOf(self);
    if (!handle.group->isInit())
        return;
    const Closed closed(handle);
    std::deque<Closed<ManagerHandle>> managers;
    for (const py::handle manager : handle.managers)
        managers.emplace_back(handleOf<ManagerHandle>(manager));
    closed.waitForCalls();
    for (const Closed<ManagerHandle>& manager : managers)
        manager.waitForCalls();
    for (size_t i = 0; i < handle.group->size(); ++i)
        if (handle.group->manager(i)->isInit())
            waitForEvaluations(*handle.group->manager(i));
    destroyClosed([group = handle.group] { group->destroy(); });
}

std::string describeGroup(py::handle self) {
    const DeviceGroup& group = devicesOf(self);
    if (!group.isInit())
        return "<kp.DeviceGroup destroyed>";
    const auto counted = [](size_t count, const char* noun) {
        return formatted("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    std::string names;
    for (size_t i = 0; i < group.size(); ++i)
        names += formatted("{}\"{}\"", i > 0 ? ", " : "", group[i].deviceInfo().name);
    return formatted("<kp.DeviceGroup of {} and {}: {}>", counted(group.size(), "device"),
                     counted(group.queueCount(), "queue"), names);
}

py::object queueAt(py::handle self, const py::object& index) {
    const GroupHandle& handle = groupOf(self);
    return handle.queues[toIndexOf(index, handle.group->queueCount(), "index")];
}

uint32_t deviceOfQueue(py::handle self, const py::object& index) {
    const DeviceGroup& group = devicesOf(self);
    return group.deviceOfQueue(toIndexOf(index, group.queueCount(), "index"));
}

uint32_t toDevice(const DeviceGroup& group, const py::object& index, const char* argument) {
    return toIndexOf(index, static_cast<uint32_t>(group.size()), argument);
}

uint32_t firstQueueOf(py::handle self, const py::object& device) {
    const DeviceGroup& group = devicesOf(self);
    return group.firstQueueOf(toDevice(group, device, "device"));
}

std::optional<std::string> exchangePath(py::handle self, const py::object& source,
                                        const py::object& destination) {
    const DeviceGroup& group = devicesOf(self);
    const uint32_t from = toDevice(group, source, "source");
    const uint32_t to = toDevice(group, destination, "destination");
    if (const auto path = group.exchangePath(from, to))
        return nameIn(kPaths, *path);
    return std::nullopt;
}

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
    GroupHandle& handle = groupOf(self);
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
    GroupHandle& handle = groupOf(self);
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

void bindLimits(py::module_& module) {
    py::class_<GroupLimits>(module, "GroupLimits",
                            "Limits that hold on every device of a group: the minimum of each.")
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
        .def_readonly("memory_bytes", &GroupLimits::memoryBytes, "Memory of the smallest device.")
        .def_readonly("timestamps_supported", &GroupLimits::timestamps,
                      "Whether all devices have timestamps.")
        .def("__repr__", [](const GroupLimits& limits) {
            return formatted("<kp.GroupLimits memory_bytes={} max_work_group_invocations={}>",
                             limits.memoryBytes, limits.maxWorkgroupInvocations);
        });
}

void bindMembers(GroupClass& type) {
    Members(type, devicesOf)
        .method("__len__", &DeviceGroup::size)
        .def("__getitem__",
             [](py::handle self, const py::object& index) {
                 return py::object(groupOf(self).managers[index]);
             })
        .def("__iter__", [](py::handle self) { return py::iter(groupOf(self).managers); })
        .property("device_ids", &DeviceGroup::deviceIds, "Index of each device in list_devices().")
        .property(
            "queues", [](py::handle self) { return groupOf(self).queues; },
            "The queues of all devices: of the first, of the second, and so on.")
        .property("queue_count", &DeviceGroup::queueCount, "Number of queues of all devices.")
        .def("queue", &queueAt, "index"_a, "One of the queues.")
        .def("device_of_queue", &deviceOfQueue, "index"_a,
             "Index of the device that a queue belongs to.")
        .def("first_queue_of", &firstQueueOf, "device"_a,
             "The index of the first queue of a device.")
        .property("limits", &DeviceGroup::limits, "Limits that hold on every device.")
        .def("exchange_path", &exchangePath, "source"_a, "destination"_a, doc(R"(
            How data is exchanged between two devices: "shared" (memory that both have open), "peer"
            (directly between the GPUs), "host" (both access the same host memory) or "staging" (the
            host copies between the two). None within one device.)"))
        .def("for_each", &forEach, "function"_a, "target"_a = "all", "wait_for"_a = py::none(),
             doc(R"(
                 Calls `function(manager, queue_index, wait_for)` once for each device that `target`
                 selects, in this thread; it returns an Event, or None if its work is done. `target`
                 is "all", "any" (the device with the least work) or the index of a queue.

                 Raises the exception of the first call. The exception of a later call fails the
                 event of its device, since the others are already running. Returns an event for
                 each selected device.)"))
        .def("_launch_algorithms", &launchAlgorithms, "algorithms"_a, "target"_a, "wait_for"_a,
             "launch() of algorithms.")
        .def("wait_idle", &waitIdle, doc(R"(
            Waits until every device has finished all its work, and all work on the group's queues
            is over.)"))
        .method("is_init", &DeviceGroup::isInit, "False after destroy().")
        .def("destroy", &destroyGroup, doc(R"(
            Destroys all objects that the group's managers created, after the work that uses them. A
            second call does nothing.)"))
        .def("__repr__", &describeGroup);
    bindContextManager(type, &destroyGroup);
}

} // namespace

void bindDeviceGroup(py::module_& module) {
    bindLimits(module);
    GroupClass type(module, "DeviceGroup", doc(R"(
        Several devices as one: a Manager for each, and one list of all queues.

        `group[i]` is the Manager of a device, and `group.queue(i)` one of the queues of all
        devices. Buffers and kernels of a group keep its devices alive.)"));
    setType<GroupHandle>(type);
    type.def(py::init(&makeGroup), "device_ids"_a = py::none(), "queue_counts"_a = py::none(),
             "queue_families"_a = py::none(), py::kw_only(), "exchange"_a = "auto",
             "desired_extensions"_a = py::list(), "required_extensions"_a = py::list(),
             "validation"_a = "", "wait"_a = "auto", "cache_folder"_a = "", "cache_path"_a = "",
             "trust_cache_path"_a = false, "timeline_semaphores"_a = true, "coalesce"_a = true,
             "reorder"_a = true, doc(R"(
                 Without arguments: every GPU, or the devices that the environment variable
                 KOMPUTE_DEVICE names, or else the software driver.

                 `device_ids` are indices in list_devices(); the same index twice creates two
                 logical devices on one physical device. `queue_counts` is the number of queues of
                 each device, or one number for all; `queue_families` has for each device a list
                 with the family of each queue instead. `exchange` forces the exchange path between
                 devices, for tests: see exchange_path(). The rest is as for Manager.)"));
    bindMembers(type);
}

} // namespace kp::python
