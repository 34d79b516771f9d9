// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Device.hpp"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>

#include "../TestSupport.hpp"
#include "../Threads.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Loader.hpp"
#include "vulkan/device/Result.hpp"
#include "vulkan/device/Validation.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::vulkan::test {
namespace {

ValidationRequest validation() {
    const char* list = std::getenv("KOMPUTE_VALIDATION");
    return ValidationRequest::parse(list ? list : "");
}

std::shared_ptr<Instance> sharedInstance() {
    return Instance::acquire(validation());
}

uint32_t computeFamily(const PhysicalDevice& device) {
    for (uint32_t i = 0; i < device.queueFamilies.size(); ++i)
        if (device.queueFamilies[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return i;
    ADD_FAILURE() << "the device has no compute queue family";
    return 0;
}

template <typename Expected>
void expectRejected(const DeviceRequest& request, const std::vector<std::string>& parts) {
    try {
        acquireDevice(sharedInstance(), request);
        FAIL() << "threw nothing";
    } catch (const Expected& error) {
        for (const std::string& part : parts)
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                << "'" << part << "' is not in: " << error.what();
    }
}

class DeviceLayer : kp::test::NewDevice, public ::testing::Test {};

TEST_F(DeviceLayer, SharesInstancesPerRequest) {
    auto first = sharedInstance();
    auto second = sharedInstance();
    EXPECT_EQ(first, second);
    ASSERT_FALSE(first->physicalDevices().empty());
    EXPECT_EQ(first->physicalDevices()[0].index, 0U);
    EXPECT_FALSE(first->physicalDevices()[0].name().empty());
    EXPECT_GE(first->apiVersion(), VK_API_VERSION_1_1);
}

TEST_F(DeviceLayer, SharesOneDeviceBetweenEqualRequests) {
    const auto instance = sharedInstance();
    auto first = acquireDevice(instance, {});
    DeviceRequest byName;
    byName.index = first->physical().index;
    byName.name = first->name();
    auto second = acquireDevice(instance, byName);
    EXPECT_EQ(first, second);
    const long others = first.use_count() - 2; // the default Manager, if a test has used it
    EXPECT_FALSE(first->wrapped());
    EXPECT_EQ(first->queueCount(), first->userQueueCount() + first->copyQueueCount());
    EXPECT_EQ(first->queue(0).family(), defaultQueueFamily(first->physical()));
    const HostQueue named{VK_NULL_HANDLE, first->queue(0).family(), 0};
    EXPECT_EQ(first->findQueue(named), &first->queue(0));
    EXPECT_EQ(first->findQueue({VK_NULL_HANDLE, 99, 0}), nullptr);

    const VkDevice handle = first->handle();
    EXPECT_EQ(findDevice(handle), first);
    const std::weak_ptr<Device> weak = first;
    first.reset();
    EXPECT_FALSE(weak.expired());
    second.reset();
    EXPECT_EQ(weak.use_count(), others);
    EXPECT_EQ(findDevice(handle) == nullptr, others == 0);
}

TEST_F(DeviceLayer, SharesOneDeviceBetweenRequestsForAnyQueues) {
    const auto instance = sharedInstance();
    const auto device = acquireDevice(instance, {});
    const auto& families = device->physical().queueFamilies;
    for (uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
            continue;
        DeviceRequest one;
        one.queueFamilies = {i};
        EXPECT_EQ(acquireDevice(instance, one), device);
        // A device with more queues also serves those who ask for fewer.
        DeviceRequest all;
        all.queueFamilies.assign(families[i].queueCount, i);
        const auto large = acquireDevice(instance, all);
        EXPECT_EQ(large == device, families[i].queueCount == 1);
        EXPECT_TRUE(large->plan().covers(device->plan()));
        for (const QueuePlan& queue : requestedQueues(device->physical(), all)) {
            const Queue* found = large->findQueue({VK_NULL_HANDLE, queue.family, queue.index});
            ASSERT_NE(found, nullptr);
            EXPECT_NE(found->handle(), VK_NULL_HANDLE);
        }
    }
}

TEST_F(DeviceLayer, CreatesDevicesForOtherRequestsAndFeatureChains) {
    const auto instance = sharedInstance();
    const auto plain = acquireDevice(instance, {});
    DeviceRequest fences;
    fences.withheld = {"timelineSemaphore"};
    const auto withFences = acquireDevice(instance, fences);
    if (plain->plan().timelineSemaphores) {
        EXPECT_NE(plain, withFences);
    }
    EXPECT_FALSE(withFences->plan().timelineSemaphores);

    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    DeviceRequest chained;
    chained.featureChain = &features;
    const auto first = acquireDevice(instance, chained);
    const auto second = acquireDevice(instance, chained);
    EXPECT_NE(first, plain);
    EXPECT_NE(first, second);
    EXPECT_EQ(acquireDevice(instance, {}), plain);
}

TEST_F(DeviceLayer, AcceptsVulkan12FeaturesInAChain) {
    const auto instance = sharedInstance();
    if (acquireDevice(instance, {})->plan().apiVersion < VK_API_VERSION_1_2)
        GTEST_SKIP() << "the device has no Vulkan 1.2";
    VkPhysicalDeviceVulkan12Features features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features.timelineSemaphore = VK_TRUE;
    DeviceRequest request;
    request.featureChain = &features;
    const auto device = acquireDevice(instance, request);
    EXPECT_TRUE(device->has(Feature::eTimelineSemaphore));
    EXPECT_EQ(device->plan().features, acquireDevice(instance, {})->plan().features);
}

TEST_F(DeviceLayer, RejectsBadRequestsWithTheAvailableChoices) {
    const auto instance = sharedInstance();
    const auto count = static_cast<uint32_t>(instance->physicalDevices().size());
    DeviceRequest request;
    request.index = count + 5;
    expectRejected<InvalidArgument>(request, {"device index " + std::to_string(count + 5),
                                              "this machine has " + std::to_string(count),
                                              instance->physicalDevices()[0].name()});
    request = {};
    request.queueFamilies = {1000};
    expectRejected<InvalidArgument>(request, {"queue family 1000 does not exist"});
    request = {};
    request.queueFamilies.assign(10000, computeFamily(instance->physicalDevices()[0]));
    expectRejected<InvalidArgument>(request, {"10000 were asked for"});
    request = {};
    request.requiredExtensions = {"VK_KHR_no_such_thing"};
    expectRejected<Unsupported>(request, {"VK_KHR_no_such_thing"});
    EXPECT_NE(acquireDevice(instance, {}), nullptr) << "everything else still works";
}

TEST_F(DeviceLayer, CountsSubmissionsAndWaitsForThem) {
    for (const bool timeline : {true, false}) {
        DeviceRequest request;
        if (!timeline)
            request.withheld = {"timelineSemaphore"};
        const auto device = acquireDevice(sharedInstance(), request);
        Queue& queue = device->queue(0);
        uint64_t last = 0;
        for (int i = 0; i < 20; ++i) {
            const uint64_t value = queue.submit({}, {});
            EXPECT_GT(value, last);
            last = value;
        }
        device->waitIdle();
        EXPECT_TRUE(queue.reached(last));
        EXPECT_EQ(queue.lastValue(), last);
    }
}

TEST_F(DeviceLayer, WaitsForRunningWorkWhenDestroyed) {
    auto device = acquireDevice(sharedInstance(), {});
    device->queue(0).submit({}, {});
    device.reset();
}

TEST_F(DeviceLayer, ReplacesALostDevice) {
    const auto instance = sharedInstance();
    auto device = acquireDevice(instance, {});
    EXPECT_NO_THROW(device->check(VK_NOT_READY, "x"));
    EXPECT_THROW(device->check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "x"), OutOfMemory);
    EXPECT_FALSE(device->lost());
    EXPECT_NO_THROW(device->requireAlive());
    try {
        device->check(VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
        FAIL() << "threw nothing";
    } catch (const DeviceLost& error) {
        EXPECT_NE(std::string(error.what()).find("vkQueueSubmit"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find(device->name()), std::string::npos);
    }
    EXPECT_TRUE(device->lost());
    EXPECT_THROW(device->requireAlive(), DeviceLost);
    EXPECT_THROW(device->queue(0).submit({}, {}), DeviceLost);
    EXPECT_NO_THROW(device->waitIdle());
    const auto fresh = acquireDevice(instance, {});
    EXPECT_NE(fresh, device);
    EXPECT_NO_THROW(fresh->queue(0).submit({}, {}));
    EXPECT_NO_THROW(device.reset());
}

TEST_F(DeviceLayer, NamesObjects) {
    const auto device = acquireDevice(sharedInstance(), {});
    EXPECT_NO_THROW(device->setName(VK_OBJECT_TYPE_DEVICE,
                                    reinterpret_cast<uint64_t>(device->handle()), "the device"));
    EXPECT_EQ(device->debugUtils(), device->debugFunctions().setObjectName != nullptr);
    if (validation().any()) {
        EXPECT_TRUE(device->debugUtils());
    }
}

TEST_F(DeviceLayer, CanBeAcquiredFromManyThreads) {
    kp::test::inThreads(4, [](int number) {
        for (int round = 0; round < 5; ++round) {
            DeviceRequest request;
            if ((number + round) % 2 != 0)
                request.withheld = {"timelineSemaphore"};
            const auto device = acquireDevice(sharedInstance(), request);
            device->queue(0).submit({}, {});
            EXPECT_EQ(findDevice(device->handle()), device);
        }
    });
}

std::vector<std::pair<uint32_t, uint32_t>> gLocked;
int gDestroyed = 0;

/// An instance and a device with one queue, created with plain Vulkan calls.
struct Host {
    VkInstance instance = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    HostDevice description;
    InstanceTable table;
    PFN_vkDestroyDevice destroyDevice = nullptr;
    PFN_vkDeviceWaitIdle waitIdle = nullptr;

    explicit Host(bool timelineSemaphores) {
        const PFN_vkGetInstanceProcAddr load = loaderGetInstanceProcAddr();
        VkApplicationInfo application{};
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        application.apiVersion = VK_API_VERSION_1_2;
        VkInstanceCreateInfo instanceInfo{};
        instanceInfo.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        instanceInfo.pApplicationInfo = &application;
        const auto createInstance =
            reinterpret_cast<PFN_vkCreateInstance>(load(nullptr, "vkCreateInstance"));
        check(createInstance(&instanceInfo, nullptr, &instance), "vkCreateInstance");
        table = InstanceTable::load(load, instance);
        description.instance = Instance::wrap(instance, nullptr, VK_API_VERSION_1_2);
        const PhysicalDevice& physical = description.instance->physicalDevices().at(0);

        const uint32_t family = computeFamily(physical);
        const float priority = 0.5F;
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueFamilyIndex = family;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
        timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
        timeline.timelineSemaphore = timelineSemaphores ? VK_TRUE : VK_FALSE;
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &timeline;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        check(table.vkCreateDevice(physical.handle, &info, nullptr, &device), "vkCreateDevice");
        destroyDevice = reinterpret_cast<PFN_vkDestroyDevice>(
            table.vkGetDeviceProcAddr(device, "vkDestroyDevice"));
        waitIdle = reinterpret_cast<PFN_vkDeviceWaitIdle>(
            table.vkGetDeviceProcAddr(device, "vkDeviceWaitIdle"));

        description.physicalDevice = physical.handle;
        description.device = device;
        description.queues = {{VK_NULL_HANDLE, family, 0}};
        description.apiVersion = VK_API_VERSION_1_2;
        enable(description.enabledFeatures, Feature::eTimelineSemaphore, timelineSemaphores);
    }
    ~Host() {
        description.instance.reset();
        destroyDevice(device, nullptr);
        table.vkDestroyInstance(instance, nullptr);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
};

VKAPI_ATTR void VKAPI_CALL countDestroyed(VkDevice, const VkAllocationCallbacks*) {
    ++gDestroyed;
}

bool offersVulkan12() {
    return sharedInstance()->physicalDevices().at(0).apiVersion >= VK_API_VERSION_1_2;
}

TEST(WrappedDevice, WorksAndDestroysNothingOfTheHost) {
    if (!offersVulkan12())
        GTEST_SKIP() << "the device has no Vulkan 1.2";
    for (const bool timeline : {true, false}) {
        Host host(timeline);
        gLocked.clear();
        gDestroyed = 0;
        host.description.lockQueue = [](uint32_t family, uint32_t index) {
            gLocked.emplace_back(family, index);
        };
        host.description.unlockQueue = [](uint32_t, uint32_t) {};
        auto device = wrapDevice(host.description);
        EXPECT_TRUE(device->wrapped());
        EXPECT_EQ(device->handle(), host.device);
        EXPECT_EQ(device->plan().timelineSemaphores, timeline);
        EXPECT_EQ(device->plan().apiVersion, VK_API_VERSION_1_2);
        EXPECT_EQ(wrapDevice(host.description), device);
        EXPECT_EQ(findDevice(host.device), device);

        Queue& queue = device->queue(0);
        EXPECT_NE(queue.handle(), VK_NULL_HANDLE);
        const uint64_t value = queue.submit({}, {});
        EXPECT_TRUE(queue.wait(value, UINT64_MAX, WaitMode::eBlock));
        ASSERT_FALSE(gLocked.empty());
        EXPECT_EQ(gLocked[0], std::make_pair(host.description.queues[0].family, 0U));

        device->mutableTable().vkDestroyDevice = countDestroyed;
        const std::weak_ptr<Device> weak = device;
        device.reset();
        EXPECT_TRUE(weak.expired());
        EXPECT_EQ(gDestroyed, 0);
        EXPECT_EQ(host.waitIdle(host.device), VK_SUCCESS);
        EXPECT_EQ(findDevice(host.device), nullptr);
    }
}

TEST(WrappedDevice, UsesNoTimelineSemaphoresIfTheHostForbidsThem) {
    if (!offersVulkan12())
        GTEST_SKIP() << "the device has no Vulkan 1.2";
    Host host(true);
    host.description.allowTimelineSemaphores = false;
    EXPECT_FALSE(wrapDevice(host.description)->plan().timelineSemaphores);
}

TEST(WrappedDevice, RejectsOtherQueuesWhenWrappedAgain) {
    if (!offersVulkan12())
        GTEST_SKIP() << "the device has no Vulkan 1.2";
    Host host(true);
    const auto device = wrapDevice(host.description);
    HostDevice other = host.description;
    const auto& families = other.instance->physicalDevices().at(0).queueFamilies;
    other.queues.push_back({device->queue(0).handle(), other.queues[0].family,
                            families[other.queues[0].family].queueCount});
    EXPECT_THROW(wrapDevice(other), InvalidArgument);
}

TEST(WrappedDevice, IsTheLibrarysOwnDeviceIfThatIsWrapped) {
    const auto device = acquireDevice(sharedInstance(), {});
    HostDevice host;
    host.instance = device->instance();
    host.physicalDevice = device->physical().handle;
    host.device = device->handle();
    host.queues = {{VK_NULL_HANDLE, device->queue(0).family(), 0}};
    EXPECT_EQ(wrapDevice(host), device);
}

// The canaries prove that the validation passes can fail. main() ignores their messages.
TEST(ValidationCanary, CoreChecksSeeABufferOfNoBytes) {
    if (!validation().core)
        GTEST_SKIP() << "KOMPUTE_VALIDATION does not have core";
    const auto device = acquireDevice(sharedInstance(), {});
    const uint64_t before = validationMessageCount();
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 0;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    device->vk().vkCreateBuffer(device->handle(), &info, nullptr, &buffer);
    EXPECT_GT(validationMessageCount(), before);
    device->vk().vkDestroyBuffer(device->handle(), buffer, nullptr);
}

/// A buffer, and command buffers that fill it: two fills without a barrier are a hazard.
class Hazard {
public:
    explicit Hazard(Device& device) : mDevice(device) {
        const auto& vk = device.vk();
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = 2 << 20; // best practices warn about small allocations
        info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        device.check(vk.vkCreateBuffer(device.handle(), &info, nullptr, &mBuffer), "buffer");
        VkMemoryRequirements needs{};
        vk.vkGetBufferMemoryRequirements(device.handle(), mBuffer, &needs);
        VkMemoryAllocateInfo memory{};
        memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        memory.allocationSize = needs.size;
        while (!(needs.memoryTypeBits >> memory.memoryTypeIndex & 1))
            ++memory.memoryTypeIndex;
        device.check(vk.vkAllocateMemory(device.handle(), &memory, nullptr, &mMemory), "memory");
        device.check(vk.vkBindBufferMemory(device.handle(), mBuffer, mMemory, 0), "bind");
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.queueFamilyIndex = device.queue(0).family();
        device.check(vk.vkCreateCommandPool(device.handle(), &pool, nullptr, &mPool), "pool");
    }
    ~Hazard() {
        mDevice.waitIdle();
        mDevice.vk().vkDestroyCommandPool(mDevice.handle(), mPool, nullptr);
        mDevice.vk().vkDestroyBuffer(mDevice.handle(), mBuffer, nullptr);
        mDevice.vk().vkFreeMemory(mDevice.handle(), mMemory, nullptr);
    }

    VkCommandBuffer record(int fills) {
        const auto& vk = mDevice.vk();
        VkCommandBufferAllocateInfo allocate{};
        allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocate.commandPool = mPool;
        allocate.commandBufferCount = 1;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        mDevice.check(vk.vkAllocateCommandBuffers(mDevice.handle(), &allocate, &commands),
                      "command buffer");
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        mDevice.check(vk.vkBeginCommandBuffer(commands, &begin), "begin");
        for (int i = 0; i < fills; ++i)
            vk.vkCmdFillBuffer(commands, mBuffer, 0, VK_WHOLE_SIZE, 7);
        mDevice.check(vk.vkEndCommandBuffer(commands), "end");
        return commands;
    }
    void submit(VkCommandBuffer commands) { mDevice.queue(0).submit({&commands, 1}, {}); }

private:
    Device& mDevice;
    VkBuffer mBuffer = VK_NULL_HANDLE;
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    VkCommandPool mPool = VK_NULL_HANDLE;
};

TEST(ValidationCanary, SyncChecksSeeAHazardInACommandBuffer) {
    if (!validation().sync)
        GTEST_SKIP() << "KOMPUTE_VALIDATION does not have sync";
    const auto device = acquireDevice(sharedInstance(), {});
    Hazard hazard(*device);
    const uint64_t before = validationMessageCount();
    hazard.record(1);
    EXPECT_EQ(validationMessageCount(), before);
    hazard.record(2);
    EXPECT_GT(validationMessageCount(), before);
}

TEST(ValidationCanary, SyncChecksSeeAHazardAcrossSubmissions) {
    if (!validation().sync)
        GTEST_SKIP() << "KOMPUTE_VALIDATION does not have sync";
    const auto device = acquireDevice(sharedInstance(), {});
    Hazard hazard(*device);
    const uint64_t before = validationMessageCount();
    hazard.submit(hazard.record(1));
    EXPECT_EQ(validationMessageCount(), before);
    hazard.submit(hazard.record(1));
    EXPECT_GT(validationMessageCount(), before);
}

} // namespace
} // namespace kp::vulkan::test
