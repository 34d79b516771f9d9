// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/DevicePlan.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "unit/vulkan/InventedDevice.hpp"

namespace kp::vulkan::test {
namespace {

TEST(DevicePlan, TakesAQueueOfEachFamilyWithCompute) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_1);
    device.queueFamilies = {family(VK_QUEUE_TRANSFER_BIT, 2), family(kCompute, 3), family(kAll, 1)};
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.queues, (std::vector<QueuePlan>{{1, 0}, {2, 0}}));
    EXPECT_EQ(plan.apiVersion, VK_API_VERSION_1_1);
    EXPECT_TRUE(plan.extensions.empty());
    EXPECT_TRUE(plan.features.none());
    EXPECT_FALSE(plan.timelineSemaphores);
}

TEST(DevicePlan, IsTheSameWhicheverFamiliesAreRequested) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    device.queueFamilies = {family(kAll, 2), family(VK_QUEUE_TRANSFER_BIT, 2), family(kCompute, 8)};
    offer(device, Feature::eTimelineSemaphore);
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.copyQueues, (std::vector<QueuePlan>{{1, 0}, {1, 1}}));
    DeviceRequest request;
    for (const std::vector<uint32_t>& families :
         std::vector<std::vector<uint32_t>>{{0}, {2}, {2, 0}}) {
        request.queueFamilies = families;
        EXPECT_EQ(planOf(device, request), plan);
    }
    request.queueFamilies.clear();
    request.defaultFamily = 2;
    EXPECT_EQ(planOf(device, request), plan);
}

TEST(DevicePlan, CoversPlansWithFewerQueuesAndNothingElse) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    device.queueFamilies = {family(kAll, 2), family(kCompute, 8)};
    DeviceRequest request;
    const DevicePlan small = planOf(device);
    request.queueFamilies = {1, 1};
    const DevicePlan large = planOf(device, request);
    EXPECT_EQ(large.queues, (std::vector<QueuePlan>{{0, 0}, {1, 0}, {1, 1}}));
    EXPECT_TRUE(large.covers(small));
    EXPECT_TRUE(large.covers(large));
    EXPECT_FALSE(small.covers(large));
    DevicePlan other = small;
    other.launchTimestamps = !other.launchTimestamps;
    EXPECT_FALSE(large.covers(other));
}

TEST(DevicePlan, IsTheSameForExtensionsThatAreEnabledAnywayOrNotOffered) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    offer(device, std::string("VK_EXT_memory_budget"));
    offer(device, std::string("VK_KHR_calibrated_timestamps"));
    offer(device, std::string("VK_KHR_there"));
    DeviceRequest request;
    request.requiredExtensions = {"VK_KHR_calibrated_timestamps"};
    request.desiredExtensions = {"VK_KHR_gone"};
    EXPECT_EQ(planOf(device, request), planOf(device));
    request.desiredExtensions = {"VK_KHR_there"};
    EXPECT_NE(planOf(device, request), planOf(device));
}

TEST(DevicePlan, DiffersIfTheDeviceWouldDiffer) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    offer(device, Feature::eTimelineSemaphore);
    DeviceRequest fences;
    fences.withheld = {"timelineSemaphore"};
    EXPECT_NE(planOf(device, fences), planOf(device));
}

TEST(DevicePlan, RefusesVulkan10) {
    const auto result = refusalOf(inventDevice(VK_API_VERSION_1_0));
    EXPECT_TRUE(mentions(result.refusals, {"Vulkan 1.1 is needed", "1.0"}));
    EXPECT_FALSE(result.badRequest);
}

TEST(DevicePlan, RefusesADeviceWithoutCompute) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    device.queueFamilies = {family(VK_QUEUE_GRAPHICS_BIT, 1), family(kCompute, 0)};
    const auto result = refusalOf(device);
    EXPECT_TRUE(mentions(result.refusals, {"no queue family with compute", "0: graphics x 1"}));
    EXPECT_FALSE(result.badRequest);

    device.queueFamilies.clear();
    EXPECT_TRUE(mentions(refusalOf(device).refusals, {"no queue family with compute", "none"}));
}

TEST(DevicePlan, RefusesMoreQueuesThanTheFamilyHas) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    device.queueFamilies = {family(kAll, 1), family(kCompute, 2)};
    DeviceRequest request;
    request.queueFamilies = {1, 1, 1};
    const auto result = refusalOf(device, request);
    EXPECT_TRUE(mentions(result.refusals, {"queue family 1 has 2 queues", "3 were asked for",
                                           "1: compute+transfer"}));
    EXPECT_TRUE(result.badRequest);
    request.queueFamilies = {0, 0};
    EXPECT_TRUE(mentions(refusalOf(device, request).refusals, {"queue family 0 has 1 queue,"}));
}

TEST(DevicePlan, RefusesFamiliesThatDoNotExistOrCannotCompute) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    device.queueFamilies = {family(kAll, 1), family(VK_QUEUE_TRANSFER_BIT, 2)};
    DeviceRequest request;
    request.queueFamilies = {0, 1, 9};
    const auto result = refusalOf(device, request);
    EXPECT_EQ(result.refusals.size(), 2U);
    EXPECT_TRUE(mentions(result.refusals, {"queue family 1 cannot compute"}));
    EXPECT_TRUE(mentions(result.refusals, {"queue family 9 does not exist"}));
    EXPECT_TRUE(result.badRequest);
}

TEST(DevicePlan, NamesEachMissingRequiredExtension) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    offer(device, std::string("VK_KHR_there"));
    DeviceRequest request;
    request.requiredExtensions = {"VK_KHR_there", "VK_KHR_gone", "VK_EXT_gone"};
    const auto result = refusalOf(device, request);
    EXPECT_EQ(result.refusals.size(), 2U);
    EXPECT_TRUE(mentions(result.refusals, {"required extension VK_KHR_gone is not offered"}));
    EXPECT_TRUE(mentions(result.refusals, {"required extension VK_EXT_gone is not offered"}));
    EXPECT_FALSE(result.badRequest);
}

TEST(DevicePlan, DoesNotBlameTheRequestIfAnExtensionIsMissingToo) {
    DeviceRequest request;
    request.queueFamilies = {7};
    request.requiredExtensions = {"VK_KHR_gone"};
    EXPECT_FALSE(refusalOf(inventDevice(VK_API_VERSION_1_3), request).badRequest);
}

TEST(DevicePlan, EnablesDesiredExtensionsOrListsThemAsDropped) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    offer(device, std::string("VK_KHR_there"));
    DeviceRequest request;
    request.desiredExtensions = {"VK_KHR_there", "VK_KHR_gone", "VK_KHR_gone", "VK_KHR_there"};
    const DevicePlan plan = planOf(device, request);
    EXPECT_EQ(plan.extensions, std::vector<std::string>{"VK_KHR_there"});
    EXPECT_EQ(planDevice(device, request).droppedExtensions,
              std::vector<std::string>{"VK_KHR_gone"});
    EXPECT_TRUE(plan.hasExtension("VK_KHR_there"));
    EXPECT_FALSE(plan.hasExtension("VK_KHR_gone"));
}

TEST(DevicePlan, EnablesFeaturesWithTheirExtensionsOnVulkan11) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_1);
    for (const Feature feature :
         {Feature::eShaderFloat64, Feature::eStorageBuffer8BitAccess, Feature::eTimelineSemaphore,
          Feature::eBufferDeviceAddress, Feature::eSubgroupSizeControl, Feature::eMaintenance4})
        offerWithExtension(device, feature);
    offer(device, std::string("VK_KHR_spirv_1_4"));
    offer(device, std::string("VK_KHR_shader_float_controls"));
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.features, device.features);
    EXPECT_TRUE(plan.timelineSemaphores);
    for (const char* extension :
         {"VK_KHR_8bit_storage", "VK_KHR_timeline_semaphore", "VK_KHR_buffer_device_address",
          "VK_EXT_subgroup_size_control", "VK_KHR_maintenance4", "VK_KHR_spirv_1_4",
          "VK_KHR_shader_float_controls"})
        EXPECT_TRUE(plan.hasExtension(extension)) << extension;
    EXPECT_EQ(plan.extensions.size(), 7U);
}

TEST(DevicePlan, EnablesCoreFeaturesWithoutExtensionsOnVulkan12) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    for (const char* extension : {"VK_KHR_8bit_storage", "VK_KHR_timeline_semaphore",
                                  "VK_EXT_subgroup_size_control", "VK_KHR_spirv_1_4"})
        offer(device, std::string(extension));
    offer(device, Feature::eStorageBuffer8BitAccess);
    offer(device, Feature::eTimelineSemaphore);
    offer(device, Feature::eSubgroupSizeControl);
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.features, device.features);
    EXPECT_EQ(plan.extensions, std::vector<std::string>{"VK_EXT_subgroup_size_control"});
}

TEST(DevicePlan, EnablesExtensionsThatNeverBecameCoreOnVulkan13) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    offerWithExtension(device, Feature::eShaderBufferFloat32AtomicAdd);
    offerWithExtension(device, Feature::eDeviceFault);
    offer(device, Feature::eSynchronization2);
    for (const char* extension :
         {"VK_EXT_memory_budget", "VK_EXT_external_memory_host", "VK_KHR_calibrated_timestamps",
          "VK_KHR_synchronization2", "VK_KHR_shader_non_semantic_info", "VK_KHR_swapchain"})
        offer(device, std::string(extension));
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.features, device.features);
    EXPECT_TRUE(plan.hasExtension("VK_EXT_shader_atomic_float"));
    EXPECT_TRUE(plan.hasExtension("VK_EXT_device_fault"));
    EXPECT_TRUE(plan.hasExtension("VK_EXT_memory_budget"));
    EXPECT_TRUE(plan.hasExtension("VK_EXT_external_memory_host"));
    EXPECT_TRUE(plan.hasExtension("VK_KHR_calibrated_timestamps"));
    EXPECT_EQ(plan.extensions.size(), 5U) << "core and unused extensions stay off";
}

TEST(DevicePlan, EnablesOneExtensionForCalibratedTimestamps) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    offer(device, std::string("VK_EXT_calibrated_timestamps"));
    EXPECT_TRUE(planOf(device).hasExtension("VK_EXT_calibrated_timestamps"));
    offer(device, std::string("VK_KHR_calibrated_timestamps"));
    EXPECT_TRUE(planOf(device).hasExtension("VK_KHR_calibrated_timestamps"));
    EXPECT_FALSE(planOf(device).hasExtension("VK_EXT_calibrated_timestamps"));
}

TEST(DevicePlan, LeavesAFeatureOffWithoutItsExtension) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_1);
    offer(device, Feature::eTimelineSemaphore);
    EXPECT_TRUE(planOf(device).features.none());
}

TEST(DevicePlan, EnablesEveryFeatureIfTheDeviceOffersAll) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    for (size_t i = 0; i < device.features.size(); ++i)
        offerWithExtension(device, static_cast<Feature>(i));
    FeatureSet expected = device.features;
    // Pipelines ask for these. Enabled, they would make all pipelines slower.
    for (const Feature feature : {Feature::eRobustBufferAccess2, Feature::eRobustImageAccess2})
        enable(expected, feature, false);
    EXPECT_EQ(planOf(device).features, expected);
    EXPECT_TRUE(device.features.all());
}

TEST(DevicePlan, LeavesAFeatureOffWithoutTheFeatureItRequires) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    offer(device, Feature::eVariablePointers);
    offer(device, Feature::eVulkanMemoryModelDeviceScope);
    EXPECT_TRUE(planOf(device).features.none());
    offer(device, Feature::eVariablePointersStorageBuffer);
    offer(device, Feature::eVulkanMemoryModel);
    EXPECT_EQ(planOf(device).features, device.features);
}

TEST(DevicePlan, EnablesCooperativeMatricesWhereTheDeviceHasThem) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    EXPECT_FALSE(planOf(device).has(Feature::eCooperativeMatrix));
    // NVIDIA's extension and bfloat16's build on others.
    offerWithExtension(device, Feature::eCooperativeMatrixWorkgroupScope);
    offerWithExtension(device, Feature::eShaderBFloat16CooperativeMatrix);
    EXPECT_TRUE(planOf(device).features.none());
    offerWithExtension(device, Feature::eCooperativeMatrix);
    offerWithExtension(device, Feature::eShaderBFloat16Type);
    const DevicePlan plan = planOf(device);
    EXPECT_EQ(plan.features, device.features);
    for (const char* name :
         {"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2", "VK_KHR_shader_bfloat16"})
        EXPECT_TRUE(plan.hasExtension(name)) << name;
    // A host application's device has the features it names.
    HostDevice host;
    host.apiVersion = VK_API_VERSION_1_3;
    host.queues = {{}};
    EXPECT_FALSE(planHostDevice(device, host).has(Feature::eCooperativeMatrix));
    enable(host.enabledFeatures, Feature::eCooperativeMatrix);
    EXPECT_TRUE(planHostDevice(device, host).has(Feature::eCooperativeMatrix));
}

TEST(DevicePlan, EnablesOnlyOneBufferAddressExtension) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_1);
    offerWithExtension(device, Feature::eBufferDeviceAddress);
    offer(device, std::string("VK_EXT_buffer_device_address"));
    DeviceRequest request;
    request.requiredExtensions = {"VK_EXT_buffer_device_address"};
    const DevicePlan plan = planOf(device, request);
    EXPECT_TRUE(plan.hasExtension("VK_EXT_buffer_device_address"));
    EXPECT_FALSE(plan.hasExtension("VK_KHR_buffer_device_address"));
    EXPECT_FALSE(plan.has(Feature::eBufferDeviceAddress));
}

TEST(DevicePlan, TimesLaunchesOnNvidiaGpusOrOnRequest) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    EXPECT_FALSE(planOf(device).launchTimestamps);
    DeviceRequest request;
    request.launchTimestamps = true;
    EXPECT_TRUE(planOf(device, request).launchTimestamps);
    device.properties.vendorID = 0x10de;
    EXPECT_TRUE(planOf(device).launchTimestamps);
    request.launchTimestamps = false;
    EXPECT_FALSE(planOf(device, request).launchTimestamps);
}

TEST(HostDevicePlan, HasWhatTheHostEnabledAndNoMore) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    offer(device, Feature::eTimelineSemaphore);
    offer(device, Feature::eShaderInt64);
    offer(device, std::string("VK_EXT_memory_budget"));
    HostDevice host;
    host.apiVersion = VK_API_VERSION_1_3;
    host.queues = {{VK_NULL_HANDLE, 0, 2}};
    host.enabledExtensions = {"VK_KHR_swapchain"};
    enable(host.enabledFeatures, Feature::eTimelineSemaphore);
    const DevicePlan plan = planHostDevice(device, host);
    EXPECT_EQ(plan.apiVersion, VK_API_VERSION_1_2) << "the device's";
    EXPECT_EQ(plan.extensions, host.enabledExtensions);
    EXPECT_EQ(plan.features, host.enabledFeatures);
    EXPECT_EQ(plan.queues, (std::vector<QueuePlan>{{0, 2}}));
    EXPECT_TRUE(plan.copyQueues.empty());
    EXPECT_TRUE(plan.timelineSemaphores);
    host.allowTimelineSemaphores = false;
    EXPECT_FALSE(planHostDevice(device, host).timelineSemaphores);
    host.allowTimelineSemaphores = true;
    host.enabledFeatures.reset();
    EXPECT_FALSE(planHostDevice(device, host).timelineSemaphores);
}

TEST(HostDevicePlan, TimesLaunchesAsADeviceOfTheLibraryDoes) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    HostDevice host;
    EXPECT_FALSE(planHostDevice(device, host).launchTimestamps);
    host.launchTimestamps = true;
    EXPECT_TRUE(planHostDevice(device, host).launchTimestamps);
    device.properties.vendorID = 0x10de;
    host.launchTimestamps.reset();
    EXPECT_TRUE(planHostDevice(device, host).launchTimestamps);
    host.launchTimestamps = false;
    EXPECT_FALSE(planHostDevice(device, host).launchTimestamps);
}

TEST(DevicePlan, LeavesWithheldFeaturesAndExtensionsOff) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    offerWithExtension(device, Feature::eDeviceFault);
    offerWithExtension(device, Feature::eShaderSubgroupClock);
    offer(device, Feature::eShaderInt64);
    DeviceRequest request;
    request.withheld = {"shaderInt64", "VK_EXT_device_fault"};
    const DevicePlan plan = planOf(device, request);
    EXPECT_FALSE(plan.has(Feature::eShaderInt64));
    EXPECT_FALSE(plan.has(Feature::eDeviceFault));
    EXPECT_FALSE(plan.hasExtension("VK_EXT_device_fault"));
    EXPECT_TRUE(plan.has(Feature::eShaderSubgroupClock));
    // A program that asks for them by itself gets them.
    request.requiredExtensions = {"VK_EXT_device_fault"};
    EXPECT_TRUE(planOf(device, request).hasExtension("VK_EXT_device_fault"));
}

TEST(DevicePlan, LeavesTimelineSemaphoresOffOnRequest) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    offer(device, Feature::eTimelineSemaphore);
    EXPECT_TRUE(planOf(device).timelineSemaphores);
    DeviceRequest request;
    request.withheld = {"timelineSemaphore"};
    EXPECT_FALSE(planOf(device, request).timelineSemaphores);
    EXPECT_FALSE(planOf(device, request).has(Feature::eTimelineSemaphore));
}

TEST(DevicePlan, EnablesThePortabilitySubsetIfOffered) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    EXPECT_TRUE(requiredExtensions(device).empty());
    offer(device, std::string("VK_KHR_portability_subset"));
    EXPECT_TRUE(planOf(device).hasExtension("VK_KHR_portability_subset"));
    EXPECT_EQ(requiredExtensions(device), std::vector<std::string>{"VK_KHR_portability_subset"});
}

TEST(DevicePlan, RecommendsTheExtensionsThatItEnables) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_1);
    offerWithExtension(device, Feature::eTimelineSemaphore);
    offer(device, std::string("VK_EXT_memory_budget"));
    offer(device, std::string("VK_KHR_swapchain"));
    std::vector<std::string> recommended = recommendedExtensions(device);
    std::sort(recommended.begin(), recommended.end());
    EXPECT_EQ(recommended, planOf(device).extensions);
    EXPECT_TRUE(contains(recommendedExtensions(device), "VK_KHR_timeline_semaphore"));
    EXPECT_FALSE(contains(recommendedExtensions(device), "VK_KHR_swapchain"));
}

TEST(DevicePlan, EnablesTheFeaturesOfTheCallersChain) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_2);
    offer(device, Feature::eTimelineSemaphore);
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    timeline.timelineSemaphore = VK_TRUE;
    DeviceRequest request;
    request.withheld = {"timelineSemaphore"};
    request.featureChain = &timeline;
    EXPECT_TRUE(planOf(device, request).has(Feature::eTimelineSemaphore));
}

TEST(DevicePlan, RefusesChainedFeaturesThatTheDeviceDoesNotOffer) {
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.features.shaderFloat64 = VK_TRUE;
    DeviceRequest request;
    request.featureChain = &features;
    const auto result = refusalOf(inventDevice(VK_API_VERSION_1_3), request);
    EXPECT_TRUE(mentions(result.refusals, {"shaderFloat64", "feature chain", "not offered"}));
}

TEST(DevicePlan, RefusesFeatureStructsOfALaterVersion) {
    VkPhysicalDeviceVulkan13Features features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    DeviceRequest request;
    request.featureChain = &features;
    const auto result = refusalOf(inventDevice(VK_API_VERSION_1_2), request);
    EXPECT_TRUE(mentions(result.refusals, {"struct of Vulkan 1.3", "has Vulkan 1.2"}));
    planOf(inventDevice(VK_API_VERSION_1_3), request);
}

TEST(DeviceRanking, RanksByTypeThenByDriverOrder) {
    const std::vector<PhysicalDevice> devices{
        inventDevice(VK_API_VERSION_1_3, "cpu", VK_PHYSICAL_DEVICE_TYPE_CPU, 0),
        inventDevice(VK_API_VERSION_1_3, "other", VK_PHYSICAL_DEVICE_TYPE_OTHER, 1),
        inventDevice(VK_API_VERSION_1_3, "virtual", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, 2),
        inventDevice(VK_API_VERSION_1_3, "integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, 3),
        inventDevice(VK_API_VERSION_1_3, "first", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 4),
        inventDevice(VK_API_VERSION_1_3, "second", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 5)};
    EXPECT_EQ(rankDevices(devices, {}), (std::vector<size_t>{4, 5, 3, 2, 1, 0}));
}

TEST(DeviceRanking, KeepsOnlyTheRequestedDevices) {
    std::vector<PhysicalDevice> devices{
        inventDevice(VK_API_VERSION_1_3, "llvmpipe (LLVM)", VK_PHYSICAL_DEVICE_TYPE_CPU, 0),
        inventDevice(VK_API_VERSION_1_3, "Big GPU", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 1),
        inventDevice(VK_API_VERSION_1_3, "Big GPU", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 2)};
    devices[2].deviceUuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                             0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    DeviceRequest byIndex;
    byIndex.index = 0;
    EXPECT_EQ(rankDevices(devices, byIndex), std::vector<size_t>{0});
    DeviceRequest byName;
    byName.name = "LLVMPIPE";
    EXPECT_EQ(rankDevices(devices, byName), std::vector<size_t>{0});
    byName.name = "big";
    EXPECT_EQ(rankDevices(devices, byName), (std::vector<size_t>{1, 2}));
    DeviceRequest byUuid;
    byUuid.uuid = "01234567-89AB-cdef-0123-456789abcdef";
    EXPECT_EQ(rankDevices(devices, byUuid), std::vector<size_t>{2});
    byUuid.uuid = "0123456789abcdef0123456789abcdef";
    EXPECT_EQ(rankDevices(devices, byUuid), std::vector<size_t>{2});
    DeviceRequest byType;
    byType.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    EXPECT_EQ(rankDevices(devices, byType), std::vector<size_t>{0});
    byType.name = "big";
    EXPECT_TRUE(rankDevices(devices, byType).empty());
}

TEST(DeviceUuid, PrintsHyphenatedGroups) {
    EXPECT_EQ(uuidToString({0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67,
                            0x89, 0xab, 0xcd, 0xef}),
              "01234567-89ab-cdef-0123-456789abcdef");
}

} // namespace
} // namespace kp::vulkan::test
