// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/DeviceGroup.hpp>

#include <algorithm>
#include <string>

#include <kompute/Error.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/DeviceChoice.hpp"
#include "core/EventState.hpp"
#include "core/QueueImpl.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "launch/Steps.hpp"
#include "vulkan/DevicePlan.hpp"
#include "vulkan/Instance.hpp"

namespace kp {
namespace {

void requireNoChoice(const ManagerOptions& options) {
    if (options.deviceIndex || !options.deviceName.empty() || !options.deviceUuid.empty() ||
        options.deviceType || !options.queueFamilies.empty())
        throw InvalidArgument("the manager options of a device group name a device or queues; name "
                              "them in DeviceGroupOptions::deviceIds, queueCounts and "
                              "queueFamilies");
}

/// Every GPU, or what KOMPUTE_DEVICE names, or else the software driver.
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
        Manager{options}; // throws, and says what there is
    return {devices[ranked.front()].index};
}

/// @return for each device the number of its queues
std::vector<uint32_t> countsOf(const DeviceGroupOptions& options, size_t devices) {
    const auto wrongLength = [&](const char* list, size_t length) {
        return InvalidArgument(std::string(list) + " has " + std::to_string(length) +
                               " entries for " + std::to_string(devices) + " devices");
    };
    if (!options.queueFamilies.empty()) {
        if (options.deviceIds.empty())
            throw InvalidArgument("queueFamilies needs deviceIds, for families differ by device");
        if (!options.queueCounts.empty())
            throw InvalidArgument("give queueCounts or queueFamilies, not both");
        if (options.queueFamilies.size() != devices)
            throw wrongLength("queueFamilies", options.queueFamilies.size());
        std::vector<uint32_t> counts;
        for (const std::vector<uint32_t>& families : options.queueFamilies)
            counts.push_back(static_cast<uint32_t>(families.size()));
        return counts;
    }
    if (options.queueCounts.empty())
        return std::vector<uint32_t>(devices, 1);
    if (options.queueCounts.size() == 1)
        return std::vector<uint32_t>(devices, options.queueCounts.front());
    if (options.queueCounts.size() != devices)
        throw wrongLength("queueCounts", options.queueCounts.size());
    return options.queueCounts;
}

/// Dispatches an algorithm as it is.
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

} // namespace

DeviceGroup::Impl::Impl(const DeviceGroupOptions& options) : ids(options.deviceIds) {
    requireNoChoice(options.manager);
    if (ids.empty())
        ids = defaultDevices(options.manager);
    const std::vector<uint32_t> counts = countsOf(options, ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
        if (counts[i] == 0)
            throw InvalidArgument("device " + std::to_string(i) +
                                  " of the group would have no queue; each needs one");
        ManagerOptions own = options.manager;
        own.deviceIndex = ids[i];
        // The same device again is a logical device of its own.
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
        throw InvalidArgument("a device group needs at least one manager");
    for (const std::shared_ptr<Manager>& manager : used) {
        if (!manager || !manager->isInit())
            throw InvalidArgument("manager " + std::to_string(managers.size()) +
                                  " for a device group is null or was destroyed");
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
        devices.push_back(queues[first]->impl().device);
    mLaunched.resize(queues.size());
    exchange = std::make_unique<group::Exchange>(std::move(devices), path);
}

void DeviceGroup::Impl::requireQueue(uint32_t index) const {
    if (index >= queues.size())
        throw InvalidArgument(
            "index " + std::to_string(index) + " does not exist: the device group has " +
            std::to_string(queues.size()) + (queues.size() == 1 ? " queue" : " queues"));
}

size_t DeviceGroup::Impl::pending(uint32_t queue) {
    std::deque<Event>& launched = mLaunched[queue];
    const auto over = [](const Event& event) {
        const EventStatus status = event.status();
        return status == EventStatus::eComplete || status == EventStatus::eError;
    };
    while (!launched.empty() && over(launched.front()))
        launched.pop_front();
    return launched.size();
}

void DeviceGroup::Impl::noteLaunched(uint32_t queue, const Event& event) {
    const std::lock_guard lock(mMutex);
    pending(queue); // forgets what is over
    mLaunched[queue].push_back(event);
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
    size_t least = pending(best);
    for (size_t i = 1; i < all.size() && least > 0; ++i) {
        const uint32_t candidate = all[(start + i) % all.size()];
        if (const size_t count = pending(candidate); count < least) {
            least = count;
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
            const std::shared_ptr<EventState> state = queues[index]->impl().newState(false);
            state->fail(std::current_exception());
            events.emplace_back(state);
        }
        noteLaunched(index, events.back());
    }
    return events;
}

DeviceGroup::DeviceGroup() : DeviceGroup(DeviceGroupOptions{}) {}

DeviceGroup::DeviceGroup(const std::vector<uint32_t>& deviceIds)
    : DeviceGroup([&] {
          DeviceGroupOptions options;
          options.deviceIds = deviceIds;
          return options;
      }()) {}

DeviceGroup::DeviceGroup(const DeviceGroupOptions& options)
    : mImpl(std::make_shared<Impl>(options)) {}

DeviceGroup DeviceGroup::of(const std::vector<std::shared_ptr<Manager>>& managers,
                            ExchangePath exchange) {
    return DeviceGroup(std::make_shared<Impl>(managers, exchange));
}

DeviceGroup::~DeviceGroup() = default;

size_t DeviceGroup::size() const {
    return mImpl->managers.size();
}

const std::shared_ptr<Manager>& DeviceGroup::manager(size_t device) const {
    if (device >= size())
        throw InvalidArgument("device " + std::to_string(device) +
                              " does not exist: the device group has " + std::to_string(size()));
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
    GroupLimits least;
    for (size_t i = 0; i < size(); ++i) {
        const DeviceInfo info = mImpl->managers[i]->deviceInfo();
        if (i == 0) {
            least = {info.maxWorkgroupCount, info.maxWorkgroupSize, info.maxWorkgroupInvocations,
                     info.memoryBytes, info.timestamps};
            continue;
        }
        for (size_t axis = 0; axis < least.maxWorkgroupCount.size(); ++axis) {
            least.maxWorkgroupCount[axis] =
                std::min(least.maxWorkgroupCount[axis], info.maxWorkgroupCount[axis]);
            least.maxWorkgroupSize[axis] =
                std::min(least.maxWorkgroupSize[axis], info.maxWorkgroupSize[axis]);
        }
        least.maxWorkgroupInvocations =
            std::min(least.maxWorkgroupInvocations, info.maxWorkgroupInvocations);
        least.memoryBytes = std::min(least.memoryBytes, info.memoryBytes);
        least.timestamps = least.timestamps && info.timestamps;
    }
    return least;
}

std::optional<ExchangePath> DeviceGroup::exchangePath(size_t from, size_t to) const {
    manager(from);
    manager(to);
    return mImpl->exchange->path(from, to);
}

std::vector<Event> DeviceGroup::forEach(const Task& task, GroupTarget target,
                                        const std::vector<Event>& waitFor) {
    if (!task)
        throw InvalidArgument("the function for a device group is empty");
    return mImpl->forEach(mImpl->choose(target, mImpl->firstQueue), task, waitFor);
}

namespace {

template <typename T>
void requireOneEach(const std::vector<std::shared_ptr<T>>& objects, size_t devices) {
    if (objects.size() != devices)
        throw InvalidArgument("a launch on a group of " + std::to_string(devices) +
                              " devices needs one object for each, not " +
                              std::to_string(objects.size()));
    for (const std::shared_ptr<T>& object : objects)
        if (!object)
            throw InvalidArgument("an object for a launch on a device group is null");
}

} // namespace

std::vector<Event> DeviceGroup::launch(const std::vector<std::shared_ptr<Launcher>>& launchers,
                                       const LaunchOptions& options, GroupTarget target) {
    requireOneEach(launchers, size());
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
    requireOneEach(lists, size());
    return forEach(
        [&](Manager&, uint32_t index, const std::vector<Event>&) -> std::optional<Event> {
            return (*lists[mImpl->deviceOfQueue[index]])(mImpl->queues[index], options.waitFor,
                                                         options.parameters);
        },
        target);
}

std::vector<Event> DeviceGroup::launch(const std::vector<std::shared_ptr<Algorithm>>& algorithms,
                                       const std::vector<Event>& waitFor, GroupTarget target) {
    requireOneEach(algorithms, size());
    return forEach(
        [&](Manager&, uint32_t index, const std::vector<Event>& waits) {
            LaunchOptions options;
            options.queue = mImpl->queues[index];
            options.waitFor = waits;
            return AlgorithmLauncher(algorithms[mImpl->deviceOfQueue[index]])(options);
        },
        target, waitFor);
}

void DeviceGroup::waitIdle() const {
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
