// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/PhysicalDevice.hpp"

#include <algorithm>

#include "base/Text.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

std::vector<std::string> readExtensions(const InstanceTable& table, VkPhysicalDevice handle) {
    const auto properties = enumerate<VkExtensionProperties>(
        "vkEnumerateDeviceExtensionProperties", table.vkEnumerateDeviceExtensionProperties, handle,
        nullptr);
    std::vector<std::string> names;
    names.reserve(properties.size());
    for (const VkExtensionProperties& property : properties)
        names.emplace_back(property.extensionName);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

void readQueueFamilies(const InstanceTable& table, PhysicalDevice& device) {
    uint32_t count = 0;
    table.vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
    device.queueFamilies.resize(count);
    table.vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count,
                                                   device.queueFamilies.data());
    device.queueFamilies.resize(count);
}

void readProperties(const InstanceTable& table, PhysicalDevice& device) {
    VkPhysicalDeviceIDProperties id{};
    VkPhysicalDeviceSubgroupProperties subgroup{};
    VkPhysicalDeviceMaintenance3Properties maintenance3{};
    VkPhysicalDeviceDriverProperties driver{};
    VkPhysicalDeviceSubgroupSizeControlProperties subgroupSize{};
    VkPhysicalDeviceMaintenance4Properties maintenance4{};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT hostMemory{};

    VkPhysicalDeviceProperties2 head{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    const auto add = [&](auto& properties, VkStructureType sType) {
        properties.sType = sType;
        properties.pNext = head.pNext;
        head.pNext = &properties;
    };
    add(id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    add(subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    add(maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    const auto knows = [&](uint32_t core, const char* extension) {
        return device.apiVersion >= core || device.hasExtension(extension);
    };
    if (knows(VK_API_VERSION_1_2, "VK_KHR_driver_properties"))
        add(driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    if (knows(VK_API_VERSION_1_3, "VK_EXT_subgroup_size_control"))
        add(subgroupSize, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    if (knows(VK_API_VERSION_1_3, "VK_KHR_maintenance4"))
        add(maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    if (device.hasExtension("VK_EXT_external_memory_host"))
        add(hostMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
    table.vkGetPhysicalDeviceProperties2(device.handle, &head);

    device.deviceUuid = std::to_array(id.deviceUUID);
    device.driverUuid = std::to_array(id.driverUUID);
    device.driverName = driver.driverName;
    device.driverInfo = driver.driverInfo;
    device.subgroupSize = subgroup.subgroupSize;
    device.minSubgroupSize =
        subgroupSize.minSubgroupSize ? subgroupSize.minSubgroupSize : subgroup.subgroupSize;
    device.maxSubgroupSize =
        subgroupSize.maxSubgroupSize ? subgroupSize.maxSubgroupSize : subgroup.subgroupSize;
    device.requiredSubgroupSizeStages = subgroupSize.requiredSubgroupSizeStages;
    device.maxComputeWorkgroupSubgroups = subgroupSize.maxComputeWorkgroupSubgroups;
    if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
        device.subgroupOperations = subgroup.supportedOperations;
    device.maxMemoryAllocationSize = maintenance3.maxMemoryAllocationSize;
    device.maxBufferSize = maintenance4.maxBufferSize;
    device.importedHostPointerAlignment = hostMemory.minImportedHostPointerAlignment;
}

bool sharesTimelines(const InstanceTable& table, const PhysicalDevice& device) {
    if (!table.vkGetPhysicalDeviceExternalSemaphoreProperties ||
        !device.hasExtension("VK_KHR_external_semaphore_fd"))
        return false;
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkPhysicalDeviceExternalSemaphoreInfo asked{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, &type};
    asked.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalSemaphoreProperties found{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    table.vkGetPhysicalDeviceExternalSemaphoreProperties(device.handle, &asked, &found);
    constexpr VkExternalSemaphoreFeatureFlags kBoth =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    return (found.externalSemaphoreFeatures & kBoth) == kBoth;
}

} // namespace

bool PhysicalDevice::hasExtension(const std::string& name) const {
    return std::binary_search(extensions.begin(), extensions.end(), name);
}

PhysicalDevice readPhysicalDevice(const InstanceTable& table, VkPhysicalDevice handle,
                                  uint32_t index, uint32_t instanceVersion) {
    PhysicalDevice device;
    device.handle = handle;
    device.index = index;
    table.vkGetPhysicalDeviceProperties(handle, &device.properties);
    const uint32_t version = std::min(instanceVersion, device.properties.apiVersion);
    device.apiVersion =
        VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), 0);
    table.vkGetPhysicalDeviceMemoryProperties(handle, &device.memory);
    readQueueFamilies(table, device);
    device.extensions = readExtensions(table, handle);

    if (device.apiVersion >= VK_API_VERSION_1_1 && table.vkGetPhysicalDeviceProperties2 &&
        table.vkGetPhysicalDeviceFeatures2) {
        readProperties(table, device);
        FeatureChain chain(device.apiVersion, device.extensions);
        table.vkGetPhysicalDeviceFeatures2(handle, chain.head());
        device.features = chain.read();
        device.cooperative = readCooperativeMatrices(table, device);
        if (device.has(Feature::eTimelineSemaphore))
            device.sharesTimelines = sharesTimelines(table, device);
    }
    return device;
}

std::string uuidToString(const std::array<uint8_t, VK_UUID_SIZE>& uuid) {
    std::string text;
    for (size_t i = 0; i < uuid.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += formatted("{:02x}", uuid[i]);
    }
    return text;
}

} // namespace kp::vulkan
