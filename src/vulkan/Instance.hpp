// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vulkan/PhysicalDevice.hpp"

namespace kp::vulkan {

// clang-format off
/// Instance functions the library calls.
#define KOMPUTE_INSTANCE_FUNCTIONS(X)                                                              \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties)            \
    X(vkGetPhysicalDeviceProperties2) X(vkGetPhysicalDeviceFeatures2)                              \
    X(vkGetPhysicalDeviceMemoryProperties) X(vkGetPhysicalDeviceMemoryProperties2)                 \
    X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkGetPhysicalDeviceFormatProperties)             \
    X(vkGetPhysicalDeviceImageFormatProperties) X(vkEnumerateDeviceExtensionProperties)            \
    X(vkCreateDevice) X(vkGetDeviceProcAddr) X(vkCreateDebugUtilsMessengerEXT)                     \
    X(vkDestroyDebugUtilsMessengerEXT)
// clang-format on

/// Function pointers of one instance; those the instance does not have are null.
struct InstanceTable {
#define KOMPUTE_MEMBER(name) PFN_##name name = nullptr;
    KOMPUTE_INSTANCE_FUNCTIONS(KOMPUTE_MEMBER)
#undef KOMPUTE_MEMBER
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;

    /// Reads every pointer through @p getInstanceProcAddr.
    static InstanceTable load(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance);
};

/// Which validation runs. Read from ManagerOptions or KOMPUTE_VALIDATION=core,sync,gpu.
struct ValidationRequest {
    bool core = false;   ///< core checks, object lifetimes, thread safety and best practices
    bool sync = false;   ///< synchronization validation, across submissions too
    bool gpu = false;    ///< GPU-assisted validation
    bool printf = false; ///< debugPrintfEXT output of shaders goes to the logger
    bool any() const { return core || sync || gpu || printf; }
    bool operator==(const ValidationRequest&) const = default;

    /// Parses a comma-separated list; unknown words throw InvalidArgument naming the known ones.
    static ValidationRequest parse(const std::string& list);
};

/// A VkInstance, made once per process and validation request and shared, or a host's. Thread-safe.
class Instance {
public:
    /// The shared instance for this request, made on first use and kept until the process ends.
    /// @throws Unsupported where no Vulkan loader or no driver is found (says what was looked for),
    ///         or where a layer asked for is not installed
    static std::shared_ptr<Instance> acquire(const ValidationRequest& validation);
    /// Wraps a host's instance; never destroys it.
    static std::shared_ptr<Instance> wrap(VkInstance handle, PFN_vkGetInstanceProcAddr getProcAddr,
                                          uint32_t apiVersion);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return mHandle; }
    uint32_t apiVersion() const { return mApiVersion; }
    const InstanceTable& table() const { return mTable; }
    const std::vector<PhysicalDevice>& physicalDevices() const { return mPhysicalDevices; }
    /// Debug-utils names and labels can be given to objects.
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

/// Number of validation messages (warnings and errors) seen in this process; tests compare it.
uint64_t validationMessageCount();

} // namespace kp::vulkan
