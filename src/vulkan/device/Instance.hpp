// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vulkan/device/PhysicalDevice.hpp"
#include "vulkan/device/Validation.hpp"

namespace kp::vulkan {

// clang-format off
/// The instance functions that the library calls.
#define KOMPUTE_INSTANCE_FUNCTIONS(X)                                                              \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties)            \
    X(vkGetPhysicalDeviceProperties2) X(vkGetPhysicalDeviceFeatures2)                              \
    X(vkGetPhysicalDeviceExternalSemaphoreProperties)                                              \
    X(vkGetPhysicalDeviceMemoryProperties) X(vkGetPhysicalDeviceMemoryProperties2)                 \
    X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkGetPhysicalDeviceFormatProperties)             \
    X(vkGetPhysicalDeviceImageFormatProperties) X(vkEnumerateDeviceExtensionProperties)            \
    X(vkCreateDevice) X(vkGetDeviceProcAddr) X(vkCreateDebugUtilsMessengerEXT)                     \
    X(vkDestroyDebugUtilsMessengerEXT)                                                             \
    X(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)                                           \
    X(vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)
// clang-format on

/// The functions of one instance. A function that the instance lacks is null.
struct InstanceTable {
#define KOMPUTE_MEMBER(name) PFN_##name name = nullptr;
    KOMPUTE_INSTANCE_FUNCTIONS(KOMPUTE_MEMBER)
#undef KOMPUTE_MEMBER
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;

    static InstanceTable load(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance);
};

/// A VkInstance: one per process and validation request, or a host application's. Thread-safe.
class Instance {
public:
    /// Returns the instance for this request, created on first use and kept until the process ends.
    /// @throws Unsupported without a Vulkan loader or driver (says where both were searched), or if
    /// a
    ///         requested layer is not installed
    static std::shared_ptr<Instance> acquire(const ValidationRequest& validation);
    /// Wraps a host application's instance, which is never destroyed here.
    /// @throws InvalidArgument if it is null or not one of the Vulkan loader
    static std::shared_ptr<Instance> wrap(VkInstance handle, PFN_vkGetInstanceProcAddr getProcAddr,
                                          uint32_t apiVersion);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return mHandle; }
    uint32_t apiVersion() const { return mApiVersion; }
    const InstanceTable& table() const { return mTable; }
    const std::vector<PhysicalDevice>& physicalDevices() const { return mPhysicalDevices; }
    /// Returns true if objects can have debug-utils names and labels.
    bool debugUtils() const { return mDebugUtils; }
    const ValidationRequest& validation() const { return mValidation; }

private:
    Instance() = default;
    void create(const ValidationRequest& validation);

    VkInstance mHandle = VK_NULL_HANDLE;
    bool mOwned = false;
    bool mDebugUtils = false;
    uint32_t mApiVersion = VK_API_VERSION_1_1;
    InstanceTable mTable;
    ValidationRequest mValidation;
    VkDebugUtilsMessengerEXT mMessenger = VK_NULL_HANDLE;
    std::vector<PhysicalDevice> mPhysicalDevices;
};

} // namespace kp::vulkan
