// SPDX-License-Identifier: Apache-2.0
#include "unit/vulkan/FakeDriver.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

namespace kp::vulkan::test {
namespace {

std::vector<PhysicalDevice> gDevices;
VkResult gCreateResult;
std::vector<size_t> gAttempts;
std::map<uint32_t, uint32_t> gQueues;

size_t indexOf(VkPhysicalDevice device) {
    return reinterpret_cast<size_t>(device) - 1;
}

template <typename Item>
VkResult list(const std::vector<Item>& items, uint32_t* count, Item* destination) {
    if (!destination) {
        *count = static_cast<uint32_t>(items.size());
        return VK_SUCCESS;
    }
    const uint32_t copied = std::min(*count, static_cast<uint32_t>(items.size()));
    std::copy_n(items.begin(), copied, destination);
    *count = copied;
    return copied < items.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateDevices(VkInstance, uint32_t* count,
                                                VkPhysicalDevice* devices) {
    std::vector<VkPhysicalDevice> handles;
    for (size_t i = 0; i < gDevices.size(); ++i)
        handles.push_back(reinterpret_cast<VkPhysicalDevice>(i + 1));
    return list(handles, count, devices);
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice device,
                                         VkPhysicalDeviceProperties* properties) {
    *properties = gDevices[indexOf(device)].properties;
}

VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties2* properties) {
    const PhysicalDevice& invented = gDevices[indexOf(device)];
    properties->properties = invented.properties;
    for (auto* object = static_cast<VkBaseOutStructure*>(properties->pNext); object;
         object = object->pNext) {
        if (object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            std::copy(invented.deviceUuid.begin(), invented.deviceUuid.end(),
                      reinterpret_cast<VkPhysicalDeviceIDProperties*>(object)->deviceUUID);
        if (object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES)
            std::snprintf(reinterpret_cast<VkPhysicalDeviceDriverProperties*>(object)->driverName,
                          VK_MAX_DRIVER_NAME_SIZE, "%s", invented.driverName.c_str());
        if (object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(object)->subgroupSize =
                invented.subgroupSize;
    }
}

VKAPI_ATTR void VKAPI_CALL getFeatures2(VkPhysicalDevice device,
                                        VkPhysicalDeviceFeatures2* features) {
    if (gDevices[indexOf(device)].has(Feature::eShaderFloat64))
        features->features.shaderFloat64 = VK_TRUE;
}

VKAPI_ATTR void VKAPI_CALL getMemory(VkPhysicalDevice device,
                                     VkPhysicalDeviceMemoryProperties* memory) {
    *memory = gDevices[indexOf(device)].memory;
}

VKAPI_ATTR void VKAPI_CALL getQueueFamilies(VkPhysicalDevice device, uint32_t* count,
                                            VkQueueFamilyProperties* families) {
    list(gDevices[indexOf(device)].queueFamilies, count, families);
}

VKAPI_ATTR VkResult VKAPI_CALL getExtensions(VkPhysicalDevice device, const char*, uint32_t* count,
                                             VkExtensionProperties* properties) {
    std::vector<VkExtensionProperties> extensions;
    for (const std::string& name : gDevices[indexOf(device)].extensions) {
        extensions.emplace_back();
        std::snprintf(extensions.back().extensionName, VK_MAX_EXTENSION_NAME_SIZE, "%s",
                      name.c_str());
    }
    return list(extensions, count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks*, VkDevice*) {
    gAttempts.push_back(indexOf(device));
    gQueues.clear();
    for (uint32_t i = 0; i < info->queueCreateInfoCount; ++i) {
        const VkDeviceQueueCreateInfo& family = info->pQueueCreateInfos[i];
        gQueues[family.queueFamilyIndex] = family.queueCount;
    }
    return gCreateResult;
}

} // namespace

FakeDriver::FakeDriver(std::vector<PhysicalDevice> devices, VkResult createResult) {
    gDevices = std::move(devices);
    gCreateResult = createResult;
    gAttempts.clear();
}

FakeDriver::~FakeDriver() {
    gDevices.clear();
}

std::shared_ptr<Instance> FakeDriver::instance(uint32_t apiVersion) const {
    static int handle = 0;
    return Instance::wrap(reinterpret_cast<VkInstance>(&handle), getInstanceProcAddr, apiVersion);
}

const std::vector<size_t>& FakeDriver::attempts() const {
    return gAttempts;
}

const std::map<uint32_t, uint32_t>& FakeDriver::queues() const {
    return gQueues;
}

PFN_vkVoidFunction VKAPI_CALL FakeDriver::getInstanceProcAddr(VkInstance, const char* name) {
    const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("vkEnumeratePhysicalDevices"))
        return reinterpret_cast<PFN_vkVoidFunction>(enumerateDevices);
    if (is("vkGetPhysicalDeviceProperties"))
        return reinterpret_cast<PFN_vkVoidFunction>(getProperties);
    if (is("vkGetPhysicalDeviceProperties2"))
        return reinterpret_cast<PFN_vkVoidFunction>(getProperties2);
    if (is("vkGetPhysicalDeviceFeatures2"))
        return reinterpret_cast<PFN_vkVoidFunction>(getFeatures2);
    if (is("vkGetPhysicalDeviceMemoryProperties"))
        return reinterpret_cast<PFN_vkVoidFunction>(getMemory);
    if (is("vkGetPhysicalDeviceQueueFamilyProperties"))
        return reinterpret_cast<PFN_vkVoidFunction>(getQueueFamilies);
    if (is("vkEnumerateDeviceExtensionProperties"))
        return reinterpret_cast<PFN_vkVoidFunction>(getExtensions);
    if (is("vkCreateDevice"))
        return reinterpret_cast<PFN_vkVoidFunction>(createDevice);
    return nullptr;
}

} // namespace kp::vulkan::test
