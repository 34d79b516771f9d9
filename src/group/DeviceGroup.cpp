// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/DeviceGroup.hpp>

#include <algorithm>
#include <utility>

#include <kompute/operations/OpAlgoDispatch.hpp>

#include "base/Text.hpp"
#include "core/manager/DeviceChoice.hpp"
#include "core/queue/EventState.hpp"
#include "core/queue/QueueImpl.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "group/shards/ShardMatMul.hpp"
#include "group/shards/ShardReduce.hpp"
#include "group/shards/ShardSort.hpp"
#include "launch/LauncherImpl.hpp"
#include "vulkan/device/DevicePlan.hpp"
#include "vulkan/device/Instance.hpp"

namespace kp {
namespace {

/// Dispatches an algorithm with its own work group counts and push constants.
class AlgorithmLauncher final : public Launcher {
public:
    explicit AlgorithmLauncher(std::shared_ptr<Algorithm> algorithm)
        : Launcher("algorithm"),
          mOperation(std::make_shared<OpAlgoDispatch>(std::move(algorithm))) {}

    std::optional<Event> operator()(const LaunchOptions& options) override {
        return runSteps(options.queue, options);
    }
    bool globalSizeConfigured() const override { return true; }
    void appendSteps(launch::StepList& steps, const launch::CallContext&) override {
        steps.add(*this).operation = mOperation;
    }

private:
    std::shared_ptr<OpBase> mOperation;
};

template <typename T>
void requireOnePerDevice(const std::vector<std::shared_ptr<T>>& objects, size_t devices) {
    if (objects.size() != devices)
        fail<InvalidArgument>(
            "a launch on a group of {} devices needs one object for each device, not {}", devices,
            objects.size());
    for (size_t i = 0; i < devices; ++i)
        if (!objects[i])
            fail<InvalidArgument>("the object for device {} of a group is null", i);
}

void requireNoChoice(const ManagerOptions& options) {
    if (options.deviceIndex || !options.deviceName.empty() || !options.deviceUuid.empty() ||
        options.deviceType || !options.queueFamilies.empty())
        fail<InvalidArgument>("the manager options of a device group select a device or queues; "
                              "use DeviceGroupOptions::deviceIds, queueCounts and queueFamilies");
}

/// Returns every GPU that KOMPUTE_DEVICE allows, or else the software driver.
std::vector<uint32_t> defaultDevices(const ManagerOptions& options) {
    const std::shared_ptr<vulkan::Instance> instance = vulkan::Instance::acquire({});
    const std::vector<vulkan::PhysicalDevice>& devices = instance->physicalDevices();
    const std::vector<size_t> ranked = vulkan::rankDevices(devices, requestOf(options));
    std::vector<uint32_t> gpus;
    for (const size_t place : ranked)
        if (!devices[place].isCpu())
            gpus.push_back(devices[place].index);
    if (!gpus.empty())
        return gpus;
    if (ranked.empty())
        Manager{options}; // throws with the list of devices
    return {devices[ranked.front()].index};
}

/// Returns the number of queues of each device.
std::vector<uint32_t> queueCountsOf(const DeviceGroupOptions& options, size_t devices) {
    const auto requireLength = [&](const char* list, size_t length) {
        if (length != devices)
            fail<InvalidArgument>("{} has {} entries for {} devices", list, length, devices);
    };
    if (!options.queueFamilies.empty()) {
        if (options.deviceIds.empty())
            fail<InvalidArgument>("queueFamilies needs deviceIds, because families differ between "
                                  "devices");
        if (!options.queueCounts.empty())
            fail<InvalidArgument>("give queueCounts or queueFamilies, not both");
        requireLength("queueFamilies", options.queueFamilies.size());
        std::vector<uint32_t> counts;
        for (const std::vector<uint32_t>& families : options.queueFamilies)
            counts.push_back(static_cast<uint32_t>(families.size()));
        return counts;
    }
    if (options.queueCounts.size() <= 1)
        return std::vector<uint32_t>(devices,
                                     options.queueCounts.empty() ? 1 : options.queueCounts[0]);
    requireLength("queueCounts", options.queueCounts.size());
    return options.queueCounts;
}

} // namespace

DeviceGroup::Impl::Impl(const DeviceGroupOptions& options) : ids(options.deviceIds) {
    requireNoChoice(options.manager);
    if (ids.empty())
        ids = defaultDevices(options.manager);
    const std::vector<uint32_t> counts = queueCountsOf(options, ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
        if (counts[i] == 0)
            fail<InvalidArgument>("device {} of the group would have no queue; each needs one", i);
        ManagerOptions own = options.manager;
        own.deviceIndex = ids[i];
        // A repeated index creates another logical device.
        const auto earlier = ids.begin() + static_cast<std::ptrdiff_t>(i);
        own.shareDevice = own.shareDevice && std::find(ids.begin(), earlier, ids[i]) == earlier;
        if (!options.queueFamilies.empty())
            own.queueFamilies = options.queueFamilies[i];
        add(std::make_shared<Manager>(own), counts[i]);
    }
    connect(options.exchange);
}

DeviceGroup::Impl::Impl(const std::vector<std::shared_ptr<Manager>>& used, ExchangePath path) {
    if (used.empty())
        fail<InvalidArgument>("a device group needs at least one manager");
    for (const std::shared_ptr<Manager>& manager : used) {
        if (!manager || !manager->isInit())
            fail<InvalidArgument>("manager {} for a device group is null or was destroyed",
                                  managers.size());
        ids.push_back(manager->deviceInfo().index);
        add(manager, manager->queueCount());
    }
    connect(path);
}

void DeviceGroup::Impl::add(std::shared_ptr<Manager> manager, uint32_t queueCount) {
    firstQueue.push_back(static_cast<uint32_t>(queues.size()));
    for (uint32_t i = 0; i < queueCount; ++i) {
        queues.push_back(manager->queue(i));
        deviceOfQueue.push_back(static_cast<uint32_t>(managers.size()));
    }
    managers.push_back(std::move(manager));
}

void DeviceGroup::Impl::connect(ExchangePath path) {
    std::vector<std::shared_ptr<vulkan::Device>> devices;
    for (const uint32_t first : firstQueue)
        devices.push_back(implOf(*queues[first]).device);
    mLaunched.resize(queues.size());
    exchange = std::make_unique<group::Exchange>(std::move(devices), path);
}

void DeviceGroup::Impl::requireQueue(uint32_t index) const {
    if (index >= queues.size())
        fail<InvalidArgument>("index {} does not exist: the device group has {} {}", index,
                              queues.size(), queues.size() == 1 ? "queue" : "queues");
}

size_t DeviceGroup::Impl::pending(uint32_t queue) {
    std::deque<Event>& launched = mLaunched[queue];
    const auto hasEnded = [](const Event& event) {
        const EventStatus status = event.status();
        return status == EventStatus::eComplete || status == EventStatus::eError;
    };
    while (!launched.empty() && hasEnded(launched.front()))
        launched.pop_front();
    return launched.size();
}

std::vector<uint32_t> DeviceGroup::Impl::choose(const GroupTarget& target,
                                                const std::vector<uint32_t>& all) {
    if (target.index()) {
        requireQueue(*target.index());
        return {*target.index()};
    }
    if (!target.isAny() || all.empty())
        return all;
    const std::lock_guard lock(mMutex);
    const uint32_t start = mNext++;
    uint32_t best = all[start % all.size()];
    size_t fewest = pending(best);
    for (size_t i = 1; i < all.size() && fewest > 0; ++i) {
        const uint32_t candidate = all[(start + i) % all.size()];
        if (const size_t count = pending(candidate); count < fewest) {
            fewest = count;
            best = candidate;
        }
    }
    return {best};
}

std::vector<Event> DeviceGroup::Impl::forEach(const std::vector<uint32_t>& chosen, const Task& task,
                                              const std::vector<Event>& waitFor) {
    std::vector<Event> events;
    for (const uint32_t index : chosen) {
        try {
            std::optional<Event> event = task(*managers[deviceOfQueue[index]], index, waitFor);
            events.push_back(event ? std::move(*event) : Event());
        } catch (...) {
            if (events.empty())
                throw;
            const std::shared_ptr<EventState> state = implOf(*queues[index]).newState(false);
            state->fail(std::current_exception());
            events.push_back(Internals::event<Event>(state));
        }
        const std::lock_guard lock(mMutex);
        pending(index); // removes the launches that have ended
        mLaunched[index].push_back(events.back());
    }
    return events;
}

DeviceGroup::DeviceGroup() : DeviceGroup(DeviceGroupOptions{}) {}

DeviceGroup::DeviceGroup(const std::vector<uint32_t>& deviceIds)
    : DeviceGroup(DeviceGroupOptions{.deviceIds = deviceIds}) {}

DeviceGroup::DeviceGroup(const DeviceGroupOptions& options)
    : mImpl(std::make_shared<Impl>(options)) {}

DeviceGroup DeviceGroup::of(const std::vector<std::shared_ptr<Manager>>& managers,
                            ExchangePath exchange) {
    return DeviceGroup(Made{}, std::make_shared<Impl>(managers, exchange));
}

DeviceGroup::~DeviceGroup() = default;

size_t DeviceGroup::size() const {
    return mImpl->managers.size();
}

const std::shared_ptr<Manager>& DeviceGroup::manager(size_t device) const {
    if (device >= size())
        fail<InvalidArgument>("device {} does not exist: the device group has {}", device, size());
    return mImpl->managers[device];
}

Manager& DeviceGroup::operator[](size_t device) const {
    return *manager(device);
}

std::vector<uint32_t> DeviceGroup::deviceIds() const {
    return mImpl->ids;
}

uint32_t DeviceGroup::queueCount() const {
    return static_cast<uint32_t>(mImpl->queues.size());
}

const std::shared_ptr<Queue>& DeviceGroup::queue(uint32_t index) const {
    mImpl->requireQueue(index);
    return mImpl->queues[index];
}

uint32_t DeviceGroup::deviceOfQueue(uint32_t index) const {
    mImpl->requireQueue(index);
    return mImpl->deviceOfQueue[index];
}

uint32_t DeviceGroup::firstQueueOf(size_t device) const {
    manager(device);
    return mImpl->firstQueue[device];
}

GroupLimits DeviceGroup::limits() const {
    GroupLimits limits;
    for (size_t i = 0; i < size(); ++i) {
        const DeviceInfo info = mImpl->managers[i]->deviceInfo();
        if (i == 0) {
            limits = {info.maxWorkgroupCount, info.maxWorkgroupSize, info.maxWorkgroupInvocations,
                      info.memoryBytes, info.timestamps};
            continue;
        }
        for (size_t axis = 0; axis < limits.maxWorkgroupCount.size(); ++axis) {
            limits.maxWorkgroupCount[axis] =
                std::min(limits.maxWorkgroupCount[axis], info.maxWorkgroupCount[axis]);
            limits.maxWorkgroupSize[axis] =
                std::min(limits.maxWorkgroupSize[axis], info.maxWorkgroupSize[axis]);
        }
        limits.maxWorkgroupInvocations =
            std::min(limits.maxWorkgroupInvocations, info.maxWorkgroupInvocations);
        limits.memoryBytes = std::min(limits.memoryBytes, info.memoryBytes);
        limits.timestamps = limits.timestamps && info.timestamps;
    }
    return limits;
}

std::optional<ExchangePath> DeviceGroup::exchangePath(size_t from, size_t to) const {
    manager(from);
    manager(to);
    return mImpl->exchange->path(from, to);
}

std::vector<Event> DeviceGroup::forEach(const Task& task, GroupTarget target,
                                        const std::vector<Event>& waitFor) {
    if (!task)
        fail<InvalidArgument>("the function for a device group is empty");
    return mImpl->forEach(mImpl->choose(target, mImpl->firstQueue), task, waitFor);
}

std::vector<Event> DeviceGroup::launch(const std::vector<std::shared_ptr<Launcher>>& launchers,
                                       const LaunchOptions& options, GroupTarget target) {
    requireOnePerDevice(launchers, size());
    return forEach(
        [&](Manager&, uint32_t index, const std::vector<Event>&) {
            LaunchOptions own = options;
            own.queue = mImpl->queues[index];
            return (*launchers[mImpl->deviceOfQueue[index]])(own);
        },
        target);
}

std::vector<Event>
DeviceGroup::launch(const std::vector<std::shared_ptr<KernelListLauncher>>& lists,
                    const LaunchOptions& options, GroupTarget target) {
    requireOnePerDevice(lists, size());
    return forEach(
        [&](Manager&, uint32_t index, const std::vector<Event>&) -> std::optional<Event> {
            return (*lists[mImpl->deviceOfQueue[index]])(mImpl->queues[index], options.waitFor,
                                                         options.parameters);
        },
        target);
}

std::vector<Event> DeviceGroup::launch(const std::vector<std::shared_ptr<Algorithm>>& algorithms,
                                       const std::vector<Event>& waitFor, GroupTarget target) {
    requireOnePerDevice(algorithms, size());
    return forEach(
        [&](Manager&, uint32_t index, const std::vector<Event>& waits) {
            LaunchOptions options;
            options.queue = mImpl->queues[index];
            options.waitFor = waits;
            return AlgorithmLauncher(algorithms[mImpl->deviceOfQueue[index]])(options);
        },
        target, waitFor);
}

std::vector<Event> DeviceGroup::reduce(const Buffer& in, Buffer& out, const Operator& combine,
                                       std::optional<int> axis,
                                       const std::vector<Event>& waitFor) const {
    return group::reduceShards(*mImpl, implOf(in), implOf(out), combine, axis, waitFor);
}

std::vector<Event> DeviceGroup::sort(Buffer& keys, bool descending,
                                     const std::vector<Event>& waitFor) const {
    return group::sortShards(*mImpl, implOf(keys), nullptr, descending, waitFor);
}

std::vector<Event> DeviceGroup::sort(Buffer& keys, Buffer& values, bool descending,
                                     const std::vector<Event>& waitFor) const {
    return group::sortShards(*mImpl, implOf(keys), &implOf(values), descending, waitFor);
}

std::vector<Event> DeviceGroup::matmul(const Buffer& a, const Buffer& b, Buffer& c,
                                       const std::vector<Event>& waitFor) const {
    return group::multiplyShards(*mImpl, implOf(a), implOf(b), implOf(c), waitFor);
}

void DeviceGroup::waitIdle() const {
    for (const std::shared_ptr<Manager>& manager : mImpl->managers)
        if (!manager->isInit())
            manager->waitIdle(); // throws, before anything waits for work that will never run
    for (const std::shared_ptr<Queue>& queue : mImpl->queues)
        queue->finish();
    for (const std::shared_ptr<Manager>& manager : mImpl->managers)
        manager->waitIdle();
}

void DeviceGroup::destroy() {
    for (const std::shared_ptr<Manager>& manager : mImpl->managers)
        manager->destroy();
}

bool DeviceGroup::isInit() const {
    return std::all_of(mImpl->managers.begin(), mImpl->managers.end(),
                       [](const auto& manager) { return manager->isInit(); });
}

} // namespace kp
