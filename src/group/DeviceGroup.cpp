// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/DeviceGroup.hpp>

#include <algorithm>

#include <kompute/operations/OpAlgoDispatch.hpp>

#include "base/Text.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "launch/Steps.hpp"

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

} // namespace

DeviceGroup::DeviceGroup() : DeviceGroup(DeviceGroupOptions{}) {}

DeviceGroup::DeviceGroup(const std::vector<uint32_t>& deviceIds)
    : DeviceGroup(DeviceGroupOptions{.deviceIds = deviceIds}) {}

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
