// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "unit/TestText.hpp"
#include "unit/vulkan/FakeDriver.hpp"
#include "unit/vulkan/InventedDevice.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"

namespace kp::vulkan::test {
namespace {

template <typename Expected>
std::string messageOf(const std::shared_ptr<Instance>& instance, const DeviceRequest& request) {
    try {
        acquireDevice(instance, request);
    } catch (const Expected& error) {
        return error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << "another exception was thrown: " << error.what();
        return {};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

void expectParts(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_TRUE(kp::test::contains(text, part));
}

std::vector<PhysicalDevice> twoDevices() {
    return {inventDevice(VK_API_VERSION_1_3, "Software", VK_PHYSICAL_DEVICE_TYPE_CPU),
            inventDevice(VK_API_VERSION_1_3, "Big GPU")};
}

TEST(DeviceChoice, ReportsTheSearchIfThereIsNoDevice) {
    const FakeDriver driver({});
    expectParts(messageOf<Unsupported>(driver.instance(), {}),
                {"no Vulkan device was found", "VK_DRIVER_FILES", "install"});
}

TEST(DeviceChoice, ListsTheDevicesIfTheIndexDoesNotExist) {
    const FakeDriver driver(twoDevices());
    DeviceRequest request;
    request.index = 7;
    expectParts(messageOf<InvalidArgument>(driver.instance(), request),
                {"device index 7 does not exist: this machine has 2 devices (0: Software, 1: Big "
                 "GPU)"});
    EXPECT_TRUE(driver.attempts().empty());
}

TEST(DeviceChoice, RefusesNamesTypesAndUuidsThatMatchNoDevice) {
    const FakeDriver driver(twoDevices());
    DeviceRequest request;
    request.name = "Nothing";
    expectParts(messageOf<InvalidArgument>(driver.instance(), request),
                {"a name with 'Nothing'", "this machine has 2 devices"});
    request = {};
    request.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    expectParts(messageOf<InvalidArgument>(driver.instance(), request), {"integrated GPU"});
    request = {};
    request.uuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    expectParts(messageOf<InvalidArgument>(driver.instance(), request),
                {"the UUID ffffffff", "00000000-0000"});
    for (const char* wrong : {"123", "gggggggggggggggggggggggggggggggg"}) {
        request.uuid = wrong;
        expectParts(messageOf<InvalidArgument>(driver.instance(), request),
                    {wrong, "32 hexadecimal digits"});
    }
}

TEST(DeviceChoice, GivesAReasonForEachDeviceIfAllAreRefused) {
    auto devices = twoDevices();
    devices[0].properties.apiVersion = VK_API_VERSION_1_0;
    const FakeDriver driver(devices);
    DeviceRequest request;
    request.requiredExtensions = {"VK_KHR_gone"};
    expectParts(messageOf<Unsupported>(driver.instance(), request),
                {"device 0 (Software): Vulkan 1.1 is needed",
                 "device 1 (Big GPU): required extension VK_KHR_gone is not offered"});
}

TEST(DeviceChoice, RefusesQueueFamiliesThatDoNotExist) {
    const FakeDriver driver(twoDevices());
    DeviceRequest request;
    request.queueFamilies = {3};
    expectParts(messageOf<InvalidArgument>(driver.instance(), request),
                {"queue family 3 does not exist", "0: graphics+compute+transfer x 4"});
}

TEST(DeviceChoice, TriesTheNextDeviceIfCreationFails) {
    const FakeDriver driver(twoDevices());
    logger::setLogLevel(logger::Level::eOff);
    expectParts(messageOf<Error>(driver.instance(), {}),
                {"vkCreateDevice for 'Software'", "VK_ERROR_INITIALIZATION_FAILED"});
    logger::setLogLevel(logger::Level::eWarn);
    EXPECT_EQ(driver.attempts(), (std::vector<size_t>{1, 0})) << "the best device comes first";
}

TEST(DeviceChoice, CreatesAQueueOfEachFamilyWithComputeAndThoseNamed) {
    auto device = inventDevice(VK_API_VERSION_1_3);
    device.queueFamilies = {family(kAll, 16), family(VK_QUEUE_TRANSFER_BIT, 5), family(kCompute, 8),
                            family(VK_QUEUE_VIDEO_DECODE_BIT_KHR, 3)};
    const FakeDriver driver({device});
    for (const std::vector<uint32_t>& families : {std::vector<uint32_t>{}, {0}, {2, 2}}) {
        DeviceRequest request;
        request.queueFamilies = families;
        messageOf<Error>(driver.instance(), request);
        EXPECT_EQ(driver.queues(),
                  (std::map<uint32_t, uint32_t>{{0, 1}, {2, families.size() == 2 ? 2 : 1}}));
    }
}

TEST(DeviceChoice, TriesOnlyTheRequestedDevice) {
    const FakeDriver driver(twoDevices(), VK_ERROR_OUT_OF_HOST_MEMORY);
    DeviceRequest request;
    request.index = 1;
    expectParts(messageOf<OutOfMemory>(driver.instance(), request), {"vkCreateDevice", "Big GPU"});
    EXPECT_EQ(driver.attempts(), std::vector<size_t>{1});
}

TEST(PhysicalDeviceSnapshot, ReadsVulkan10DevicesWithoutNewerCalls) {
    auto devices = twoDevices();
    devices[0].properties.apiVersion = VK_API_VERSION_1_0;
    devices[1].driverName = "invented";
    devices[1].subgroupSize = 32;
    offer(devices[1], std::string("VK_KHR_b"));
    offer(devices[1], std::string("VK_KHR_a"));
    offer(devices[1], Feature::eShaderFloat64);
    const FakeDriver driver(devices);
    const auto instance = driver.instance(VK_API_VERSION_1_2);
    const auto& read = instance->physicalDevices();
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].apiVersion, VK_API_VERSION_1_0);
    EXPECT_EQ(read[0].driverName, "");
    EXPECT_EQ(read[1].index, 1U);
    EXPECT_EQ(read[1].apiVersion, VK_API_VERSION_1_2) << "the lower of instance and device";
    EXPECT_EQ(read[1].driverName, "invented");
    EXPECT_EQ(read[1].minSubgroupSize, 32U);
    EXPECT_EQ(read[1].maxSubgroupSize, 32U);
    EXPECT_TRUE(read[1].hasExtension("VK_KHR_a"));
    EXPECT_FALSE(read[1].hasExtension("VK_KHR_c"));
    EXPECT_TRUE(read[1].has(Feature::eShaderFloat64));
    EXPECT_FALSE(read[1].has(Feature::eShaderInt64));
    EXPECT_EQ(read[1].queueFamilies.size(), 1U);
    EXPECT_TRUE(read[0].isCpu());
    EXPECT_FALSE(instance->debugUtils());
}

TEST(WrappedDevice, RefusesBadHandlesAndQueues) {
    auto devices = twoDevices();
    devices[1].queueFamilies.push_back(family(VK_QUEUE_TRANSFER_BIT, 1));
    const FakeDriver driver(devices);
    const auto instance = driver.instance();
    int object = 0;
    HostDevice host;
    const auto refused = [&] {
        try {
            wrapDevice(host);
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string("nothing was thrown");
    };
    expectParts(refused(), {"null"});
    host.instance = instance;
    host.device = reinterpret_cast<VkDevice>(&object);
    host.physicalDevice = reinterpret_cast<VkPhysicalDevice>(&object);
    expectParts(refused(), {"at least one queue"});
    host.queues = {{VK_NULL_HANDLE, 0, 0}};
    expectParts(refused(), {"not one of the VkInstance"});
    host.physicalDevice = instance->physicalDevices()[1].handle;
    host.queues = {{VK_NULL_HANDLE, 1, 0}};
    expectParts(refused(), {"queue family 1", "cannot compute"});
    host.queues = {{VK_NULL_HANDLE, 2, 0}};
    expectParts(refused(), {"queue family 2 does not exist"});
    host.queues = {{VK_NULL_HANDLE, 0, 4}};
    expectParts(refused(), {"has no queue 4, only 4"});
}

TEST(WrappedInstance, RefusesBadHandles) {
    EXPECT_THROW(
        Instance::wrap(VK_NULL_HANDLE, FakeDriver::getInstanceProcAddr, VK_API_VERSION_1_1),
        InvalidArgument);
    const auto nothing = [](VkInstance, const char*) -> PFN_vkVoidFunction { return nullptr; };
    int object = 0;
    EXPECT_THROW(Instance::wrap(reinterpret_cast<VkInstance>(&object), nothing, VK_API_VERSION_1_1),
                 InvalidArgument);
}

} // namespace
} // namespace kp::vulkan::test
