// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Core.hpp>

namespace kp {

/// Kind of a device.
enum class DeviceType { eOther = 0, eIntegrated = 1, eDiscrete = 2, eVirtual = 3, eCpu = 4 };

/// How evaluations wait for the device.
enum class WaitPolicy {
    eAuto,   ///< eHybrid on a GPU, eBlock on a CPU driver
    eSpin,   ///< poll until done: lowest latency, one core busy
    eHybrid, ///< poll for a bounded time, then block
    eBlock   ///< block at once
};

/// Options for creating a Manager. Every default means "choose the best".
struct ManagerOptions {
    // Device selection. All given conditions must hold. If none is given, the environment variable
    // KOMPUTE_DEVICE decides: an index, a UUID, "discrete", "integrated", "virtual", "cpu", "gpu",
    // or part of the name. If it is unset too, the best device wins: discrete before integrated
    // before virtual before CPU.
    std::optional<uint32_t> deviceIndex; ///< index in listDevices()
    std::string deviceName;              ///< part of the name; case is ignored
    std::string deviceUuid;              ///< hexadecimal, dashes optional
    std::optional<DeviceType> deviceType;

    /// Indices of queue families: Manager::sequence(i) uses a queue of family i of this list. Equal
    /// entries select different queues. Managers that select different families share the device,
    /// and managers that select the same ones share the queues.
    /// Empty: one queue of the family that the environment variable KOMPUTE_QUEUE_FAMILY names,
    /// else of the family that suits the device: on NVIDIA GPUs the first that computes but has no
    /// graphics, whose latency is lower, on others the first that computes.
    std::vector<uint32_t> queueFamilies;
    std::vector<std::string> requiredExtensions; ///< device extensions; a missing one is an error
    std::vector<std::string> desiredExtensions;  ///< a missing one is skipped with a warning

    /// Comma-separated list of "core", "sync", "gpu" (validation layers) and "printf"
    /// (debugPrintfEXT output). Empty: the environment variable KOMPUTE_VALIDATION, else none.
    std::string validation;
    /// Checked mode of algorithms and kernels without AlgorithmOptions::check, and lines
    /// in shaders that the manager compiles. Empty: the CheckScope or KOMPUTE_CHECK.
    std::string check;
    /// True lets DeviceLost and Manager::underWay() name the operations that the device was, or is,
    /// working on, with their sequence and shader. Costs time: on devices without
    /// VK_AMD_buffer_marker and VK_NV_device_diagnostic_checkpoints, all operations wait for each
    /// other; with the latter alone, nothing is known before the loss. The environment variable
    /// KOMPUTE_BREADCRUMBS=1 does the same. Managers that differ in this share no device.
    bool breadcrumbs = false;
    WaitPolicy waitPolicy = WaitPolicy::eAuto;
    /// Folder for everything that is kept between runs: compiled pipelines and shaders (including
    /// the library's own) and autotuning results. Empty: the environment variable
    /// KOMPUTE_CACHE_DIR, else the user's cache folder. "off": nothing is stored on disk. Managers
    /// that share a device share the folders of its pipelines and of the library's shaders: the
    /// last ones set before its first pipeline.
    std::string cacheFolder;
    /// Folders of compiled shaders and pipelines that an installer made, separated as the
    /// environment variable PATH is. They are searched after the cache folder, in order, and never
    /// written. Empty: the environment variable KOMPUTE_CACHE_PATH. "off": none.
    /// docs/guides/programs.md says how to make one.
    std::string cachePath;
    /// Uses files of cachePath even if they belong to another user than this one and root, or if
    /// others may write to them; otherwise these are ignored with a warning. Their contents are
    /// code that runs on the device. The environment variable KOMPUTE_CACHE_TRUST=1 does the same.
    bool trustCachePath = false;
    /// False counts submissions with recycled fences, as on devices without timeline semaphores.
    /// The environment variable KOMPUTE_WITHOUT=timelineSemaphore does the same.
    bool timelineSemaphores = true;
    /// Launches and evaluations that find their queue busy are submitted together, which is several
    /// times faster. False submits each at once, and so does the environment variable
    /// KOMPUTE_COALESCE=0.
    bool coalesce = true;
    /// Dispatches that do not depend on each other may be recorded in another order, so that they
    /// share barriers, within one sequence or list and among launches that are submitted together.
    /// Other operations stay in place, and sequences with timestamps keep their order. False keeps
    /// the order in which they were recorded, and so does the environment variable
    /// KOMPUTE_REORDER=0.
    bool reorder = true;
    /// Overrides for transfers between host and device, for experiments and unusual machines, as
    /// comma-separated name=value pairs ("chunk=4M,threads=8,staging=64M").
    /// docs/guides/transfers.md lists the names. Empty: the environment variable KOMPUTE_TRANSFER,
    /// else values chosen for the device. Managers that share a device share these settings; the
    /// last change wins.
    std::string transfer;
    /// Maximum bytes of staging memory for transfers in both directions together. Staging memory is
    /// allocated on demand and freed when idle. 0: the default, 256 MiB.
    uint64_t stagingBytes = 0;
    /// True shares one VkDevice among all managers of a GPU whose extensions and
    /// timelineSemaphores are the same and that have no featureChain: their objects work together.
    /// A device is created with one queue of each family, or more if its first manager names more.
    /// A manager that names more queues of a family than the device has gets another one.
    /// False creates a VkDevice for this manager alone. Its objects then do not work with other
    /// managers' objects. Losing one device does not affect the other.
    bool shareDevice = true;
    /// Feature structs for the pNext chain of VkDeviceCreateInfo, for features that the library
    /// does not enable by itself. Read during construction only.
    const void* featureChain = nullptr;
};

/// A queue of a host application.
struct HostQueue {
    VkQueue queue = nullptr; ///< null: fetched by family and index
    uint32_t family = 0;
    uint32_t index = 0;
};

/// A Vulkan device that a host application created and owns. The library destroys none of it. All
/// of it must outlive every object of the Manager.
struct HostDevice {
    VkInstance instance = nullptr;
    VkPhysicalDevice physicalDevice = nullptr;
    VkDevice device = nullptr;
    /// The application's vkGetInstanceProcAddr. Null: the function of the system's Vulkan loader.
    void (*(*getInstanceProcAddr)(VkInstance, const char*))() = nullptr;
    /// Version in the application's VkApplicationInfo, as VK_MAKE_VERSION(major, minor, 0).
    uint32_t apiVersion = KOMPUTE_VK_API_VERSION;
    /// Queues with compute that the library may use; Manager::sequence(i) uses entry i.
    std::vector<HostQueue> queues;
    /// Enabled in the instance. The library neither needs nor uses any.
    std::vector<std::string> instanceExtensions;
    std::vector<std::string> deviceExtensions; ///< enabled in the device
    /// The pNext chain that the device was created with: VkPhysicalDeviceFeatures2 and feature
    /// structs. Read during construction only. A feature that is not in it counts as disabled.
    const void* enabledFeatures = nullptr;
    /// Called around every use of one of the queues, with lockContext as @p context, for
    /// applications that use the queues from other threads. Both or neither are null. While a
    /// device is wrapped, managers that wrap it again use the functions given first.
    void (*lockQueue)(void* context, uint32_t family, uint32_t index) = nullptr;
    void (*unlockQueue)(void* context, uint32_t family, uint32_t index) = nullptr;
    void* lockContext = nullptr;
    /// True lets launches and evaluations that find their queue busy be submitted together, later
    /// than the call that made them; Manager::lockQueue() submits them. False submits each at once,
    /// so that the application's own submissions follow it.
    bool coalesce = false;
    /// As ManagerOptions::breadcrumbs. The device needs no extension, but one of those named there
    /// is used if it is in deviceExtensions. The first manager of the device decides.
    bool breadcrumbs = false;
};

/// Properties of one device of this machine. Plain data.
struct DeviceInfo {
    uint32_t index = 0;
    std::string name;
    std::string uuid;
    DeviceType type = DeviceType::eOther;
    std::string driver;       ///< name and version, if the driver reports them
    uint32_t apiVersion = 0;  ///< as VK_MAKE_VERSION(major, minor, patch)
    uint64_t memoryBytes = 0; ///< size of its largest device-local heap
    Workgroup maxWorkgroupCount{};
    Workgroup maxWorkgroupSize{};
    uint32_t maxWorkgroupInvocations = 0;
    uint64_t maxStorageBufferRange = 0; ///< maximum bytes of a tensor that a shader can bind
    uint32_t subgroupSize = 0;          ///< of shaders that do not require a size
    /// Bounds of AlgorithmOptions::subgroupSize; 0 if algorithms cannot require a size.
    uint32_t minSubgroupSize = 0;
    uint32_t maxSubgroupSize = 0;
    bool timestamps = false;
    std::vector<uint32_t> computeQueues; ///< per queue family: number of queues with compute
};

/// Returns the devices of this machine in the driver's order. Needs no Manager.
/// @throws Unsupported if no Vulkan loader is found
[[nodiscard]] KOMPUTE_API std::vector<DeviceInfo> listDevices();

/// Returns the device extensions that a host application must (required) or should (recommended)
/// enable for this library. Only the instance and the physical device of @p host are read.
/// @throws InvalidArgument if the physical device does not belong to the instance
KOMPUTE_API std::vector<std::string> requiredDeviceExtensions(const HostDevice& host);
KOMPUTE_API std::vector<std::string> recommendedDeviceExtensions(const HostDevice& host);
/// Returns the names of the supported device features that the library uses if they are enabled,
/// such as "shaderFloat64".
/// @throws InvalidArgument if the physical device does not belong to the instance
KOMPUTE_API std::vector<std::string> recommendedDeviceFeatures(const HostDevice& host);

} // namespace kp
