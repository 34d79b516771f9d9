// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Core.hpp>

namespace kp {

enum class DeviceType { eOther = 0, eIntegrated = 1, eDiscrete = 2, eVirtual = 3, eCpu = 4 };

/// How evaluations wait for the device.
enum class WaitPolicy {
    eAuto,   ///< eHybrid on a GPU, eBlock on a CPU driver
    eSpin,   ///< poll until done: lowest latency, one core busy
    eHybrid, ///< poll for a bounded time, then block
    eBlock   ///< block at once
};

/// What a Manager is made with. Everything left as it is means "the best default".
struct ManagerOptions {
    // Which device. Several conditions must all hold. With none, the environment variable
    // KOMPUTE_DEVICE decides (an index, a UUID, one of "discrete", "integrated", "virtual", "cpu",
    // "gpu", or a part of the name), and without it the best device is taken: discrete before
    // integrated before virtual before CPU.
    std::optional<uint32_t> deviceIndex; ///< place in listDevices()
    std::string deviceName;              ///< part of the name, upper or lower case
    std::string deviceUuid;              ///< hexadecimal, dashes optional
    std::optional<DeviceType> deviceType;

    /// One queue per entry, of the family with that index; Manager::sequence(i) uses entry i.
    /// Empty: one queue of the first family with compute.
    std::vector<uint32_t> queueFamilies;
    std::vector<std::string> requiredExtensions; ///< device extensions; missing ones are an error
    std::vector<std::string> desiredExtensions;  ///< missing ones are left out with a warning

    /// Comma-separated: core, sync, gpu (validation layers), printf (output of debugPrintfEXT).
    /// Empty: the environment variable KOMPUTE_VALIDATION, else none.
    std::string validation;
    WaitPolicy waitPolicy = WaitPolicy::eAuto;
    /// Folder of what is compiled: pipelines and shaders. Empty: the environment variable KOMPUTE_CACHE_DIR, else the
    /// user's cache folder. "off": nothing is kept on disk.
    std::string cacheFolder;
    /// False: count submissions with recycled fences, as on devices without timeline semaphores.
    /// The environment variable KOMPUTE_TIMELINE=0 does the same.
    bool timelineSemaphores = true;
    /// Changes to how data move between host and device, for experiments and unusual machines:
    /// comma-separated name=value ("chunk=4M,threads=8,staging=64M"); docs/transfers.md has the
    /// names. Empty: the environment variable KOMPUTE_TRANSFER, else what suits the device.
    /// Managers of one device share its rules: the last one that changes them decides.
    std::string transfer;
    /// Most bytes of staging that the device keeps for transfers, both directions together; it is
    /// made when needed and freed when idle. 0: the default, 256 MiB.
    uint64_t stagingBytes = 0;
    /// False: a VkDevice of this manager's own, although another manager has one that would do.
    /// Objects of the two do not work together then, and a failure of one device leaves the other.
    bool shareDevice = true;
    /// Feature structs to add to the pNext chain of VkDeviceCreateInfo, for features that the
    /// library does not switch on by itself. Used during construction only.
    const void* featureChain = nullptr;
};

/// A queue of a host application.
struct HostQueue {
    VkQueue queue = nullptr; ///< null: looked up by family and index
    uint32_t family = 0;
    uint32_t index = 0;
};

/// A Vulkan device that a host application made and keeps. The library destroys nothing of it. All
/// of it must outlive every object of the Manager.
struct HostDevice {
    VkInstance instance = nullptr;
    VkPhysicalDevice physicalDevice = nullptr;
    VkDevice device = nullptr;
    /// The application's vkGetInstanceProcAddr; null: the one of the system's Vulkan loader.
    void (*(*getInstanceProcAddr)(VkInstance, const char*))() = nullptr;
    /// Version the application asked for in VkApplicationInfo, as VK_MAKE_VERSION(major, minor, 0).
    uint32_t apiVersion = KOMPUTE_VK_API_VERSION;
    /// Queues that the library may submit to; Manager::sequence(i) uses entry i. At least one, with
    /// compute.
    std::vector<HostQueue> queues;
    std::vector<std::string> instanceExtensions; ///< enabled in the instance
    std::vector<std::string> deviceExtensions;   ///< enabled in the device
    /// pNext chain that the device was created with, VkPhysicalDeviceFeatures2 and feature structs;
    /// read during construction only. What is not in it counts as off.
    const void* enabledFeatures = nullptr;
    /// Called around every use of one of the queues, for applications that use them in other
    /// threads. May be null. @p context is lockContext.
    void (*lockQueue)(void* context, uint32_t family, uint32_t index) = nullptr;
    void (*unlockQueue)(void* context, uint32_t family, uint32_t index) = nullptr;
    void* lockContext = nullptr;
};

/// One device of the machine. Pure data.
struct DeviceInfo {
    uint32_t index = 0;
    std::string name;
    std::string uuid;
    DeviceType type = DeviceType::eOther;
    std::string driver;       ///< name and version, where the driver says
    uint32_t apiVersion = 0;  ///< as VK_MAKE_VERSION(major, minor, patch)
    uint64_t memoryBytes = 0; ///< of its largest device-local heap
    Workgroup maxWorkgroupCount{};
    Workgroup maxWorkgroupSize{};
    uint32_t maxWorkgroupInvocations = 0;
    uint32_t subgroupSize = 0;
    bool timestamps = false;
    std::vector<uint32_t> computeQueues; ///< per queue family: queues with compute, 0 without
};

/// The devices of this machine, in the driver's order. Needs no Manager.
/// @throws Unsupported where no Vulkan loader is found
KOMPUTE_API std::vector<DeviceInfo> listDevices();

/// Device extensions that a host application must, and should, enable for this library.
KOMPUTE_API std::vector<std::string> requiredDeviceExtensions(const HostDevice& host);
KOMPUTE_API std::vector<std::string> recommendedDeviceExtensions(const HostDevice& host);
/// Names of the device features that the library makes use of where they are on ("shaderFloat64").
KOMPUTE_API std::vector<std::string> recommendedDeviceFeatures(const HostDevice& host);

} // namespace kp
