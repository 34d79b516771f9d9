// SPDX-License-Identifier: Apache-2.0
//
// Managers on the instance and device of a host application.
#include <algorithm>
#include <cstdlib>

#include "../CallCounter.hpp"
#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"
#include "../VulkanHpp.hpp"
#include <kompute/queue/Queue.hpp>

#include "unit/ScopedEnvironment.hpp"

#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;

class HostDeviceTest : public DeviceTest {
protected:
    HostVulkan host{manager};

    /// Uses one object of every kind.
    static void expectWorks(kp::Manager& wrapped) {
        auto t = wrapped.tensorT<uint32_t>({1, 2, 3});
        auto u = wrapped.tensorT<uint32_t>(3, kp::Memory::MemoryTypes::eHost);
        auto image = wrapped.imageT<uint32_t>({7, 8, 9}, 3, 1, 1);
        auto sq = wrapped.sequence();
        sq->record<kp::OpSyncDevice>({t, image});
        sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(10)));
        sq->record<kp::OpCopy>({t, u})->record<kp::OpSyncLocal>({t, image});
        for (uint32_t round = 0; round < 3; ++round) {
            sq->eval();
            EXPECT_EQ(t->vector(), (std::vector<uint32_t>{11, 12, 13}));
            EXPECT_EQ(u->vector(), (std::vector<uint32_t>{11, 12, 13}));
            EXPECT_EQ(image->vector(), (std::vector<uint32_t>{7, 8, 9}));
            t->setData({1, 2, 3});
        }
        auto counter = wrapped.tensorT<uint32_t>({0});
        sq->clear();
        sq->record<kp::OpSyncDevice>({counter});
        const uint32_t steps = recordSlowWork(wrapped, *sq, counter);
        sq->evalAsync();
        sq->evalAwait(1000);
        EXPECT_EQ(onDevice<uint32_t>(*counter)[0], steps);
    }

    void expectHostWorks() {
        const VkBuffer buffer = host.makeBuffer(64);
        const VkCommandBuffer commands = host.begin();
        host.recordFill(commands, buffer, 42);
        host.submitAndWait(commands);
        EXPECT_EQ(host.contents(buffer)[15], 42u);
    }
};

TEST_F(HostDeviceTest, RunsEveryOperation) {
    {
        kp::Manager wrapped(host.description());
        EXPECT_EQ(wrapped.nativeDevice(), host.device());
        EXPECT_EQ(wrapped.nativeInstance(), host.instance());
        EXPECT_EQ(wrapped.nativePhysicalDevice(), host.physicalDevice());
        EXPECT_EQ(wrapped.nativeQueue(), host.queue());
        EXPECT_EQ(wrapped.queueFamily(), host.family());
        EXPECT_EQ(wrapped.deviceInfo().uuid, manager.deviceInfo().uuid);
        expectWorks(wrapped);
    }
    expectHostWorks(); // the manager destroyed nothing of the host's
    kp::Manager again(host.description());
    expectWorks(again);
}

TEST_F(HostDeviceTest, WorksOnVulkan11WithoutFeatures) {
    HostVulkan bare(manager, HostVulkan::Kind::eBare);
    kp::Manager wrapped(bare.description());
    expectWorks(wrapped);
    const auto needs64 = kp::compile(shader(buffer(0, "", "double", "v"), "v[i] += 1.0LF;"));
    EXPECT_THROW(wrapped.algorithm({wrapped.tensorT<double>(3)}, needs64), kp::Error)
        << "the host's device does not have the feature enabled";
}

TEST_F(HostDeviceTest, TimesLaunchesOnRequest) {
    if (!manager.deviceInfo().timestamps)
        GTEST_SKIP() << "the device has no timestamps";
    const ScopedEnvironment timestamps("KOMPUTE_TIMESTAMPS", "launch");
    kp::Manager wrapped(host.description());
    EXPECT_TRUE(deviceOf(wrapped)->plan().launchTimestamps);
    const auto t = wrapped.tensorT<uint32_t>({0, 0, 0});
    const auto add = wrapped.algorithm({t}, addShader(1));
    const auto sq = wrapped.sequence(0, 4);
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(add)->record<kp::OpAlgoDispatch>(add);
    for (int round = 0; round < 3; ++round) {
        sq->eval();
        const auto ns = sq->getTimestampsNs();
        EXPECT_EQ(ns.size(), 4u);
        EXPECT_TRUE(std::is_sorted(ns.begin(), ns.end()));
        EXPECT_EQ(onDevice<uint32_t>(*t)[0], 2u);
    }
}

TEST_F(HostDeviceTest, LooksUpQueuesByFamilyAndIndex) {
    kp::HostDevice description = host.description();
    description.queues = {{nullptr, host.family(), 0}};
    kp::Manager wrapped(description);
    EXPECT_EQ(wrapped.nativeQueue(), host.queue());
    expectWorks(wrapped);
}

TEST_F(HostDeviceTest, AcceptsTheConstructorOfKompute) {
    auto instance = std::make_shared<vk::Instance>(host.instance());
    auto physical = std::make_shared<vk::PhysicalDevice>(host.physicalDevice());
    auto device = std::make_shared<vk::Device>(host.device());
    {
        kp::Manager wrapped(instance, physical, device);
        EXPECT_EQ(wrapped.queueCount(), 1u);
        EXPECT_EQ(wrapped.nativeQueue(), host.queue());
        expectWorks(wrapped);
        EXPECT_EQ(static_cast<VkInstance>(*wrapped.getVkInstance()), host.instance());
    }
    expectHostWorks();
}

TEST_F(HostDeviceTest, ListsExtensionsAndFeaturesBeforeTheDeviceExists) {
    kp::HostDevice before;
    before.instance = host.instance();
    before.physicalDevice = host.physicalDevice();
    for (const auto& extension : kp::requiredDeviceExtensions(before))
        EXPECT_EQ(extension.rfind("VK_", 0), 0u) << extension;
    for (const auto& extension : kp::recommendedDeviceExtensions(before))
        EXPECT_EQ(extension.rfind("VK_", 0), 0u) << extension;
    const auto features = kp::recommendedDeviceFeatures(before);
    EXPECT_EQ(std::find(features.begin(), features.end(), "shaderFloat64") != features.end(),
              hasFeature(manager, "shaderFloat64"));
}

TEST_F(HostDeviceTest, RejectsWrongDescriptions) {
    EXPECT_THROW(kp::Manager{kp::HostDevice{}}, kp::InvalidArgument);
    kp::HostDevice wrong = host.description();
    wrong.queues.clear();
    EXPECT_ERROR(kp::InvalidArgument, "queue", kp::Manager{wrong});
    wrong = host.description();
    wrong.queues[0].family = 99;
    EXPECT_ERROR(kp::InvalidArgument, "99", kp::Manager{wrong});
    wrong = host.description();
    wrong.device = nullptr;
    EXPECT_THROW(kp::Manager{wrong}, kp::InvalidArgument);
    wrong = host.description();
    wrong.physicalDevice = manager.nativePhysicalDevice(); // of another instance
    EXPECT_THROW(kp::Manager{wrong}, kp::InvalidArgument);
    EXPECT_THROW(kp::Manager(nullptr, nullptr, nullptr), kp::InvalidArgument);
    expectHostWorks();
}

/// Counts the calls of the host's lock functions.
struct Locks {
    int held = 0, taken = 0, wrong = 0;
    uint32_t family = 0;
    static void lock(void* context, uint32_t family, uint32_t index) {
        auto& locks = *static_cast<Locks*>(context);
        ++locks.taken;
        if (locks.held++ != 0 || family != locks.family || index != 0)
            ++locks.wrong;
    }
    static void unlock(void* context, uint32_t, uint32_t) {
        auto& locks = *static_cast<Locks*>(context);
        if (--locks.held != 0)
            ++locks.wrong;
    }
};

TEST_F(HostDeviceTest, BalancesTheLocksOfItsQueue) {
    Locks locks;
    locks.family = host.family();
    kp::HostDevice description = host.description();
    description.lockQueue = Locks::lock;
    description.unlockQueue = Locks::unlock;
    description.lockContext = &locks;
    {
        kp::Manager wrapped(description);
        auto t = wrapped.tensorT<uint32_t>({1, 2, 3});
        auto sq = wrapped.sequence()->record<kp::OpSyncDevice>({t});
        const int before = locks.taken;
        for (int i = 0; i < 5; ++i)
            sq->eval();
        EXPECT_GE(locks.taken, before + 5);
        EXPECT_EQ(locks.held, 0);
        t->upload(std::vector<uint32_t>{4, 5, 6});
        wrapped.lockQueue();
        EXPECT_EQ(locks.held, 1);
        wrapped.unlockQueue();
    }
    EXPECT_EQ(locks.held, 0);
    EXPECT_EQ(locks.wrong, 0);
}

TEST_F(HostDeviceTest, RefusesLocksThatWouldNotBeUsed) {
    kp::HostDevice locked = host.description();
    locked.lockQueue = Locks::lock;
    EXPECT_ERROR(kp::InvalidArgument, "give both or neither", kp::Manager{locked});
    locked.unlockQueue = Locks::unlock;
    Locks locks;
    locks.family = host.family();
    locked.lockContext = &locks;
    {
        kp::Manager first(host.description());
        EXPECT_ERROR(kp::InvalidArgument, "already in use without HostDevice::lockQueue",
                     kp::Manager{locked});
    }
    kp::Manager first(locked);
    kp::Manager second(host.description()); // uses the locks of the first one
    const int before = locks.taken;
    second.sequence()->eval<kp::OpSyncDevice>({second.tensorT<uint32_t>({1})});
    EXPECT_GT(locks.taken, before);
}

TEST_F(HostDeviceTest, WrapsBuffersAsTensors) {
    const VkBuffer buffer = host.makeBuffer(1024);
    kp::Manager wrapped(host.description());
    const VkCommandBuffer commands = host.begin();
    host.recordFill(commands, buffer, 5);
    host.submitAndWait(commands);
    {
        auto t = wrapped.wrapBuffer(buffer, 256, 4, DataTypes::eUnsignedInt);
        EXPECT_EQ(t->nativeBuffer(), buffer);
        EXPECT_EQ(t->size(), 256u);
        auto sq = wrapped.sequence();
        sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
        sq->record<kp::OpSyncLocal>({t})->eval();
        EXPECT_EQ(t->vector<uint32_t>(), std::vector<uint32_t>(256, 6));
        EXPECT_EQ(host.contents(buffer)[255], 6u);
    }
    host.contents(buffer)[0] = 1; // the buffer still exists
    EXPECT_THROW(wrapped.wrapBuffer(nullptr, 4, 4, DataTypes::eFloat), kp::InvalidArgument);
    EXPECT_ERROR(kp::InvalidArgument, "do not fit",
                 wrapped.wrapBuffer(buffer, 1 << 20, 4, DataTypes::eFloat));
    EXPECT_ERROR(kp::InvalidArgument, "do not fit",
                 wrapped.wrapBuffer(buffer, UINT64_MAX / 4, 4, DataTypes::eFloat));
    EXPECT_ERROR(kp::InvalidArgument, "do not fit",
                 wrapped.wrapBuffer(buffer, 4, 4, DataTypes::eFloat, uint64_t{1} << 40));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized",
                 wrapped.wrapBuffer(buffer, 0, 4, DataTypes::eFloat));
}

TEST_F(HostDeviceTest, OrdersOverlappingRangesOfABuffer) {
    const uint64_t step = std::max<uint64_t>(host.offsetAlignment(), 256);
    const VkBuffer buffer = host.makeBuffer(3 * step);
    kp::Manager wrapped(host.description());
    const uint64_t count = 2 * step / 4;
    auto low = wrapped.wrapBuffer(buffer, count, 4, DataTypes::eUnsignedInt);
    auto high = wrapped.wrapBuffer(buffer, count, 4, DataTypes::eUnsignedInt, step);
    EXPECT_EQ(high->nativeOffset(), step);
    auto apart = wrapped.tensorT<uint32_t>(std::vector<uint32_t>{0});
    auto sq = wrapped.sequence();
    {
        const CallCounter calls(wrapped);
        sq->record<kp::OpFill>({low}, 0u)->record<kp::OpFill>({high}, 0u);
        for (int i = 0; i < 10; ++i) {
            sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({low}, addShader(1)));
            sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({high}, addShader(1)));
        }
        sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({apart}, addShader(1)));
        sq->end();
        // One between each two of the 22 operations on the buffer, one before and one after them.
        EXPECT_EQ(calls.barriers(), 23u);
    }
    sq->eval();
    const uint32_t* contents = host.contents(buffer);
    EXPECT_EQ(contents[0], 10u);
    EXPECT_EQ(contents[step / 4 - 1], 10u);
    EXPECT_EQ(contents[step / 4], 20u);
    EXPECT_EQ(contents[2 * step / 4], 10u);
}

TEST_F(HostDeviceTest, RecordsIntoTheHostsCommandBuffer) {
    const VkBuffer buffer = host.makeBuffer(1024);
    kp::Manager wrapped(host.description());
    auto t = wrapped.wrapBuffer(buffer, 256, 4, DataTypes::eUnsignedInt);
    auto u = wrapped.tensorT<uint32_t>(256);
    auto image = wrapped.imageT<uint32_t>(16, 16, 1);
    auto sq = wrapped.sequence();
    sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
    sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(10)));
    sq->record<kp::OpCopy>({t, image})->record<kp::OpCopy>({image, u});
    sq->record<kp::OpSyncLocal>({u});
    for (uint32_t round = 0; round < 2; ++round) {
        const VkCommandBuffer commands = host.begin();
        host.recordFill(commands, buffer, round);
        sq->recordInto(commands);
        sq->preEval();
        host.submitAndWait(commands);
        sq->postEval();
        EXPECT_EQ(host.contents(buffer)[255], 11 + round);
        EXPECT_EQ(u->vector(), std::vector<uint32_t>(256, 11 + round));
    }
    EXPECT_THROW(sq->recordInto(nullptr), kp::InvalidArgument);
}

TEST_F(HostDeviceTest, RejectsObjectsOfAnotherDevice) {
    kp::Manager wrapped(host.description());
    auto mine = manager.tensorT<uint32_t>({1, 2, 3});
    auto theirs = wrapped.tensorT<uint32_t>({1, 2, 3});
    EXPECT_ERROR(kp::InvalidArgument, "device", manager.algorithm({theirs}, addShader(1)));
    EXPECT_ERROR(kp::InvalidArgument, "device", wrapped.algorithm({theirs, mine}, copyShader()));
    auto sq = manager.sequence();
    EXPECT_ERROR(kp::InvalidArgument, "device", sq->record<kp::OpSyncDevice>({theirs}));
    EXPECT_ERROR(kp::InvalidArgument, "device", sq->record<kp::OpCopy>({mine, theirs}));
    EXPECT_THROW(sq->record<kp::OpFill>({theirs}, 1u), kp::InvalidArgument);
    EXPECT_ERROR(kp::InvalidArgument, "device",
                 sq->record<kp::OpAlgoDispatch>(wrapped.algorithm({theirs}, addShader(1))));
    wrapped.sequence()->eval<kp::OpSyncDevice>({theirs});
    auto other = manager.sequence()->record<kp::OpSyncDevice>({mine});
    // Events of another device are allowed: the host waits for them.
    auto theirSequence = wrapped.sequence();
    theirSequence->record<kp::OpSyncDevice>({theirs})->evalAsync();
    other->evalAsync({wrapped.sequence()->event(), kp::Event(), theirSequence->event()});
    other->evalAwait();
    EXPECT_TRUE(theirSequence->event().done());
    theirSequence->evalAwait();
    other->eval();
    EXPECT_EQ(onDevice<uint32_t>(*mine)[2], 3u);
    EXPECT_EQ(onDevice<uint32_t>(*theirs)[2], 3u);
}

// Threads of the library that waited for its events keep nothing of the device.
TEST_F(HostDeviceTest, CanBeDestroyedOnceTheHostHasSeenItsWork) {
    auto mine = manager.tensorT<uint32_t>({1, 2, 3});
    for (int round = 0; round < 10; ++round) {
        HostVulkan shortLived(manager);
        kp::Manager wrapped(shortLived.description());
        auto theirs = wrapped.tensorT<uint32_t>({1, 2, 3});
        auto sequence = wrapped.sequence()->record<kp::OpSyncDevice>({theirs})->evalAsync();
        auto other = manager.sequence()->record<kp::OpSyncDevice>({mine});
        other->evalAsync({sequence->event()})->evalAwait();
        sequence->evalAwait();
        bool hasRun = false;
        wrapped.queue()->hostFunction([&] { hasRun = true; }, {sequence->event()}).wait();
        EXPECT_TRUE(hasRun);
    }
}

} // namespace
} // namespace kp::test
