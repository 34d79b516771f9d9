// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/queue/QueueImpl.hpp"
#include "device/HostVulkan.hpp"
#include "device/group/GroupSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using DeviceGroupTest = GroupTest;

TEST_F(DeviceGroupTest, HasOneManagerPerDevice) {
    ASSERT_EQ(group.size(), 2u);
    EXPECT_EQ(group.queueCount(), 2u);
    EXPECT_NE(group[0].nativeDevice(), group[1].nativeDevice());
    EXPECT_EQ(group.deviceIds(), testDevices(2));
    for (size_t i = 0; i < group.size(); ++i)
        EXPECT_EQ(group[i].deviceInfo().index, testDevices(2)[i]);
    EXPECT_EQ(group.deviceOfQueue(1), 1u);
    EXPECT_EQ(group.firstQueueOf(1), 1u);
    EXPECT_ERROR(kp::InvalidArgument, "device 2 does not exist", group[2]);
    EXPECT_ERROR(kp::InvalidArgument, "index 2 does not exist", group.queue(2));

    // They are ordinary managers.
    auto tensor = group[1].tensor({1, 2, 3});
    group[1].sequence()->eval<kp::OpSyncDevice>({tensor});
    EXPECT_EQ(tensor->vector(), (std::vector<float>{1, 2, 3}));
}

TEST(DeviceGroupOverload, TakesABracedListOfDevices) {
    const kp::DeviceGroup group({0, 0});
    EXPECT_EQ(group.deviceIds(), (std::vector<uint32_t>{0, 0}));
}

TEST_F(DeviceGroupTest, SharesTheFirstOfEachDeviceWithOtherManagers) {
    kp::ManagerOptions options;
    options.deviceIndex = group.deviceIds()[0];
    const kp::Manager other(options);
    EXPECT_EQ(other.nativeDevice(), group[0].nativeDevice());
    const kp::DeviceGroup second(groupOptions(2));
    EXPECT_EQ(second[0].nativeDevice(), group[0].nativeDevice());
    // If a group has the same physical device twice, the second logical device is not shared.
    const bool repeated = group.deviceIds()[1] == group.deviceIds()[0];
    EXPECT_NE(second[1].nativeDevice() == group[1].nativeDevice(), repeated);
}

TEST_F(DeviceGroupTest, RejectsObjectsOfAnotherDevice) {
    auto tensor = group[0].tensor({1});
    EXPECT_ERROR(kp::InvalidArgument, "create both with the same manager",
                 group[1].sequence()->record<kp::OpSyncDevice>({tensor}));
}

TEST(DeviceGroupDefaults, TakeGpusIfThereAreAny) {
    const kp::DeviceGroup group;
    ASSERT_GE(group.size(), 1u);
    const auto devices = kp::listDevices();
    const bool anyGpu = std::any_of(devices.begin(), devices.end(), [](const auto& device) {
        return device.type != kp::DeviceType::eCpu;
    });
    for (const uint32_t id : group.deviceIds())
        EXPECT_EQ(devices[id].type == kp::DeviceType::eCpu, !anyGpu);
}

TEST(DeviceGroupOptions, NumberQueuesOverAllDevices) {
    kp::DeviceGroupOptions options = groupOptions(2);
    options.queueCounts = {3, 1};
    const kp::DeviceGroup group(options);
    EXPECT_EQ(group.queueCount(), 4u);
    EXPECT_EQ(group.deviceOfQueue(2), 0u);
    EXPECT_EQ(group.deviceOfQueue(3), 1u);
    EXPECT_EQ(group.firstQueueOf(1), 3u);
    EXPECT_TRUE(group.queue(1)->isVirtual());
    options.queueCounts = {2};
    EXPECT_EQ(kp::DeviceGroup(options).queueCount(), 4u);
    options.queueCounts = {};
    options.queueFamilies = {{group[0].queueFamily()}, {group[0].queueFamily()}};
    EXPECT_EQ(kp::DeviceGroup(options).queueCount(), 2u);
}

TEST(DeviceGroupOptions, RejectInvalidCombinations) {
    kp::DeviceGroupOptions options = groupOptions(2);
    options.queueCounts = {1, 1, 1};
    EXPECT_ERROR(kp::InvalidArgument, "3 entries for 2 devices", kp::DeviceGroup{options});
    options.queueCounts = {1, 0};
    EXPECT_ERROR(kp::InvalidArgument, "no queue", kp::DeviceGroup{options});
    options.queueCounts = {};
    options.queueFamilies = {{0}};
    EXPECT_ERROR(kp::InvalidArgument, "1 entries for 2 devices", kp::DeviceGroup{options});
    options.deviceIds = {};
    EXPECT_ERROR(kp::InvalidArgument, "needs deviceIds", kp::DeviceGroup{options});
    options = groupOptions(1);
    options.manager.deviceName = "x";
    EXPECT_ERROR(kp::InvalidArgument, "deviceIds", kp::DeviceGroup{options});
    EXPECT_ERROR(kp::InvalidArgument, "99", kp::DeviceGroup{std::vector<uint32_t>{99}});
}

// The group has a device of a host application, which owns a part of the buffer, and one of the
// library.
TEST(DeviceGroupOfManagers, TakesAHostApplicationsDevice) {
    const auto own = std::make_shared<kp::Manager>();
    HostVulkan host(*own);
    const auto theirs = std::make_shared<kp::Manager>(host.description());
    const kp::DeviceGroup group = kp::DeviceGroup::of({theirs, own});
    EXPECT_EQ(group.size(), 2u);
    EXPECT_EQ(group[0].nativeDevice(), host.device());
    VkBuffer buffer = host.makeBuffer(64);
    const std::vector<std::shared_ptr<kp::Tensor>> tensors = {
        theirs->wrapBuffer(buffer, 16, 4, kp::Memory::DataTypes::eUnsignedInt, 0,
                           kp::Memory::MemoryTypes::eStorage),
        own->tensorT<uint32_t>(16, kp::Memory::MemoryTypes::eStorage)};
    auto shared = std::make_shared<kp::Buffer>(group, std::vector<uint64_t>{16},
                                               kp::Memory::DataTypes::eUnsignedInt, tensors);
    shared->write(ascending<uint32_t>(16), 1);
    kp::Event::waitAll(shared->broadcast(1));
    group.waitIdle();
    EXPECT_EQ(host.contents(buffer)[15], 15u);
    shared->destroy();

    EXPECT_ERROR(kp::InvalidArgument, "at least one", kp::DeviceGroup::of({}));
    EXPECT_ERROR(kp::InvalidArgument, "manager 1", kp::DeviceGroup::of({own, nullptr}));
}

TEST_F(DeviceGroupTest, ReportsLimitsThatHoldOnEveryDevice) {
    const kp::GroupLimits limits = group.limits();
    for (size_t i = 0; i < group.size(); ++i) {
        const kp::DeviceInfo info = group[i].deviceInfo();
        EXPECT_LE(limits.maxWorkgroupInvocations, info.maxWorkgroupInvocations);
        EXPECT_LE(limits.maxWorkgroupCount[0], info.maxWorkgroupCount[0]);
        EXPECT_LE(limits.memoryBytes, info.memoryBytes);
    }
    EXPECT_GT(limits.maxWorkgroupInvocations, 0u);
}

TEST_F(DeviceGroupTest, ForEachCallsOncePerDevice) {
    std::vector<uint32_t> called;
    const auto recordQueue = [&](kp::Manager& manager, uint32_t queue,
                                 const std::vector<kp::Event>&) -> std::optional<kp::Event> {
        EXPECT_EQ(&manager, &group[group.deviceOfQueue(queue)]);
        called.push_back(queue);
        return std::nullopt;
    };
    EXPECT_EQ(group.forEach(recordQueue).size(), 2u);
    EXPECT_EQ(called, (std::vector<uint32_t>{0, 1}));
    called.clear();
    kp::Event::waitAll(group.forEach(recordQueue, kp::GroupTarget::queue(1)));
    EXPECT_EQ(called, (std::vector<uint32_t>{1}));
    EXPECT_ERROR(kp::InvalidArgument, "index 2",
                 group.forEach(recordQueue, kp::GroupTarget::queue(2)));
    EXPECT_ERROR(kp::InvalidArgument, "empty", group.forEach(nullptr));
}

TEST_F(DeviceGroupTest, ForEachThrowsTheFirstErrorAndPutsLaterOnesIntoEvents) {
    const auto failing = [&](uint32_t failingQueue) {
        return [failingQueue](kp::Manager&, uint32_t queue,
                              const std::vector<kp::Event>&) -> std::optional<kp::Event> {
            if (queue == failingQueue)
                throw kp::InvalidArgument("planted");
            return std::nullopt;
        };
    };
    EXPECT_ERROR(kp::InvalidArgument, "planted", group.forEach(failing(0)));
    const std::vector<kp::Event> events = group.forEach(failing(1));
    EXPECT_TRUE(events[0].done());
    EXPECT_ERROR(kp::InvalidArgument, "planted", events[1].wait());
}

TEST_F(DeviceGroupTest, AnyTargetsTheLeastBusyDevice) {
    kp::UserEvent gate;
    std::vector<uint32_t> called;
    const auto hold = [&](kp::Manager&, uint32_t queue,
                          const std::vector<kp::Event>&) -> std::optional<kp::Event> {
        called.push_back(queue);
        return gate;
    };
    for (int i = 0; i < 4; ++i)
        group.forEach(hold, kp::GroupTarget::any());
    EXPECT_EQ(std::count(called.begin(), called.end(), 0u), 2);
    called.clear();
    group.forEach(hold, kp::GroupTarget::queue(0));
    group.forEach(hold, kp::GroupTarget::any());
    EXPECT_EQ(called, (std::vector<uint32_t>{0, 1}));
    gate.set();
}

TEST_F(DeviceGroupTest, LaunchesTheObjectOfEachDevice) {
    std::vector<std::shared_ptr<kp::Algorithm>> algorithms;
    std::vector<std::shared_ptr<kp::Launcher>> launchers;
    std::vector<std::shared_ptr<kp::KernelListLauncher>> lists;
    std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors;
    for (size_t i = 0; i < group.size(); ++i) {
        tensors.push_back(group[i].tensorT<uint32_t>({0, 0, 0}, kp::Memory::MemoryTypes::eHost));
        algorithms.push_back(
            group[i].algorithm({tensors[i]}, addShader(static_cast<uint32_t>(i) + 1)));
        kp::KernelOptions options;
        options.globalSize = kp::WorkSize(3);
        launchers.push_back(std::make_shared<kp::KernelLauncher>("add", kp::Kernel(algorithms[i]),
                                                                 kp::Arguments{}, options));
        lists.push_back(std::make_shared<kp::KernelListLauncher>("list"));
        *lists[i] += launchers[i];
        *lists[i] += launchers[i];
    }
    kp::Event::waitAll(group.launch(algorithms));
    kp::Event::waitAll(group.launch(launchers));
    kp::Event::waitAll(group.launch(lists));
    kp::Event::waitAll(group.launch(launchers, {}, kp::GroupTarget::queue(1)));
    EXPECT_EQ(tensors[0]->vector(), (std::vector<uint32_t>{4, 4, 4}));
    EXPECT_EQ(tensors[1]->vector(), (std::vector<uint32_t>{10, 10, 10}));
    launchers.pop_back();
    EXPECT_ERROR(kp::InvalidArgument, "one object for each", group.launch(launchers));
}

// In vkdispatch, submissions that queued up ran more than once.
TEST_F(DeviceGroupTest, RunsQueuedSubmissionsExactlyOnceOnEachDevice) {
    auto counters = makeBuffer(group, {2}, kp::Memory::DataTypes::eUnsignedInt);
    counters->write(std::vector<uint32_t>{0, 1});
    kp::GroupKernelOptions options;
    options.globalSize = [](const kp::Shard&) { return kp::WorkSize(1); };
    kp::GroupKernel count(group, "count", slowCounter(20000), {counters}, options);
    constexpr uint32_t kSubmissions = 50;
    std::vector<kp::Event> events;
    for (uint32_t i = 0; i < kSubmissions; ++i)
        for (kp::Event& event : count())
            events.push_back(std::move(event));
    EXPECT_EQ(events.size(), 2 * kSubmissions);
    kp::Event::waitAll(events);
    for (uint32_t device = 0; device < 2; ++device)
        EXPECT_EQ(counters->read<uint32_t>(device)[0], kSubmissions);
}

TEST_F(DeviceGroupTest, WaitsForEventsOfOtherDevices) {
    auto values = makeBuffer(group, {64});
    values->write(std::vector<float>(64, 1));
    kp::GroupKernel scale(group, "scale", kGroupScale, {values}, scaleAndAddPerCall());
    kp::UserEvent gate; // keeps the producer from running before the consumer is launched
    const auto producer =
        scale({gate}, {{"scale", 3.0f}, {"add", 0.0f}}, kp::GroupTarget::queue(1));
    const kp::Event copied = values->copy(1, 0, 0, 0, std::nullopt, producer);
    const auto consumer =
        scale({copied}, {{"scale", 1.0f}, {"add", 1.0f}}, kp::GroupTarget::queue(0));
    EXPECT_FALSE(consumer[0].wait(1'000'000));
    gate.set();
    kp::Event::waitAll(consumer);
    EXPECT_EQ(values->read<float>(0), std::vector<float>(64, 4));
    EXPECT_EQ(values->read<float>(1), std::vector<float>(64, 3));
}

VKAPI_ATTR VkResult VKAPI_CALL lostSubmit(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
    return VK_ERROR_DEVICE_LOST;
}

TEST_F(DeviceGroupTest, KeepsOtherDevicesUsableIfOneIsLost) {
    auto values = makeBuffer(group, {64});
    values->write(std::vector<float>(64, 1));
    kp::GroupKernel scale(group, "scale", kGroupScale, {values}, scaleAndAddPerCall());
    const kp::Parameters parameters{{"scale", 2.0f}, {"add", 0.0f}};
    kp::Event::waitAll(scale({}, parameters));

    auto& table = implOf(*group.queue(1)).device->mutableTable();
    const auto submit = std::exchange(table.vkQueueSubmit, lostSubmit);
    const std::vector<kp::Event> events = scale({}, parameters);
    events[0].wait();
    EXPECT_ERROR(kp::DeviceLost, "", events[1].wait());
    EXPECT_ERROR(kp::DeviceLost, "", kp::Event::waitAll(values->broadcast(1)));
    EXPECT_EQ(values->read<float>(0), std::vector<float>(64, 4));
    auto fresh = group[0].tensor({1, 2});
    group[0].sequence()->eval<kp::OpSyncDevice>({fresh});
    const kp::DeviceGroup replacement(groupOptions(2));
    makeBuffer(replacement, {4})->write(std::vector<float>{1, 2, 3, 4});
    table.vkQueueSubmit = submit;
}

TEST_F(DeviceGroupTest, DestroysTheObjectsOfItsManagers) {
    auto buffer = makeBuffer(group, {4});
    group.destroy();
    EXPECT_FALSE(group.isInit());
    EXPECT_FALSE(buffer->tensor(0)->isInit());
    EXPECT_THROW(buffer->write(std::vector<float>(4)), kp::InvalidArgument);
    group.destroy();
}

TEST(DeviceGroupLifetime, IsExtendedByBuffersAndKernels) {
    std::shared_ptr<kp::Buffer> buffer;
    std::unique_ptr<kp::GroupKernel> scale;
    {
        kp::DeviceGroup group(groupOptions(2));
        buffer = makeBuffer(group, {8});
        scale = std::make_unique<kp::GroupKernel>(group, "scale", kGroupScale,
                                                  kp::GroupArguments{buffer, 2.0f, 1.0f});
    }
    buffer->write(std::vector<float>(8, 1));
    kp::Event::waitAll((*scale)());
    EXPECT_EQ(buffer->read<float>(1), std::vector<float>(8, 3));
}

} // namespace
} // namespace kp::test
