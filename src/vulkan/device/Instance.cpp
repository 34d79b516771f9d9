// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Instance.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/device/Loader.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

#ifdef VK_API_VERSION_1_4
constexpr uint32_t kMaxApiVersion = VK_API_VERSION_1_4;
#else
constexpr uint32_t kMaxApiVersion = VK_API_VERSION_1_3;
#endif

std::vector<VkExtensionProperties> extensionsOf(const char* layer) {
    return enumerate<VkExtensionProperties>("vkEnumerateInstanceExtensionProperties",
                                            vkEnumerateInstanceExtensionProperties, layer);
}

bool offers(const std::vector<VkExtensionProperties>& extensions, const char* name) {
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const VkExtensionProperties& extension) {
                           return std::strcmp(extension.extensionName, name) == 0;
                       });
}

ValidationLayer findValidationLayer() {
    const auto layers = enumerate<VkLayerProperties>("vkEnumerateInstanceLayerProperties",
                                                     vkEnumerateInstanceLayerProperties);
    const auto found = std::find_if(layers.begin(), layers.end(), [](const auto& layer) {
        return std::strcmp(layer.layerName, kValidationLayer) == 0;
    });
    if (found == layers.end())
        fail<Unsupported>("validation was asked for, but {} is not installed: install the package "
                          "vulkan-validationlayers (Fedora and Arch: vulkan-validation-layers) or "
                          "the Vulkan SDK, or do not ask for validation (ManagerOptions, "
                          "KOMPUTE_VALIDATION)",
                          kValidationLayer);
    const auto extensions = extensionsOf(kValidationLayer);
    return {found->specVersion, offers(extensions, "VK_EXT_layer_settings"),
            offers(extensions, "VK_EXT_validation_features")};
}

uint32_t loaderVersion() {
    uint32_t version = VK_API_VERSION_1_0;
    if (vkEnumerateInstanceVersion)
        check(vkEnumerateInstanceVersion(&version), "vkEnumerateInstanceVersion");
    version = std::min(version, kMaxApiVersion);
    return VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), 0);
}

std::vector<PhysicalDevice> readDevices(const InstanceTable& table, VkInstance handle,
                                        uint32_t apiVersion) {
    const auto handles = enumerate<VkPhysicalDevice>("vkEnumeratePhysicalDevices",
                                                     table.vkEnumeratePhysicalDevices, handle);
    std::vector<PhysicalDevice> devices;
    devices.reserve(handles.size());
    for (uint32_t i = 0; i < handles.size(); ++i)
        devices.push_back(readPhysicalDevice(table, handles[i], i, apiVersion));
    return devices;
}

} // namespace

InstanceTable InstanceTable::load(PFN_vkGetInstanceProcAddr getInstanceProcAddr,
                                  VkInstance instance) {
    InstanceTable table;
#define KOMPUTE_LOAD(name)                                                                         \
    table.name = reinterpret_cast<PFN_##name>(getInstanceProcAddr(instance, #name));
    KOMPUTE_INSTANCE_FUNCTIONS(KOMPUTE_LOAD)
#undef KOMPUTE_LOAD
    table.vkGetInstanceProcAddr = getInstanceProcAddr;
    return table;
}

void Instance::create(const ValidationRequest& validation) {
    const PFN_vkGetInstanceProcAddr getInstanceProcAddr = loaderGetInstanceProcAddr();
    if (!vkCreateInstance || !vkEnumerateInstanceExtensionProperties ||
        !vkEnumerateInstanceLayerProperties)
        throw Unsupported("the Vulkan loader lacks vkCreateInstance or the functions that list "
                          "layers and extensions; install a working Vulkan loader");
    mOwned = true;
    mValidation = validation;
    mApiVersion = loaderVersion();

    const auto offered = extensionsOf(nullptr);
    std::vector<const char*> extensions;
    std::vector<const char*> layers;
    const void* chain = nullptr;
    VkInstanceCreateFlags flags = 0;
    mDebugUtils = offers(offered, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
#ifdef VK_KHR_portability_enumeration
    if (offers(offered, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
#endif
    std::optional<ValidationSettings> settings;
    VkDebugUtilsMessengerCreateInfoEXT messenger = messengerCreateInfo();
    if (validation.any()) {
        settings.emplace(validation, findValidationLayer());
        settings->setSubmitEnvironment();
        layers.push_back(kValidationLayer);
        extensions.insert(extensions.end(), settings->extensions().begin(),
                          settings->extensions().end());
        mDebugUtils = true; // offered by the layer itself
        chain = settings->link(&messenger);
    }
    if (mDebugUtils)
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pEngineName = "Kompute";
    application.apiVersion = mApiVersion;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pNext = chain;
    info.flags = flags;
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();

    const VkResult result = vkCreateInstance(&info, nullptr, &mHandle);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        throw Unsupported(formatted("no Vulkan driver was found (vkCreateInstance: "
                                    "VK_ERROR_INCOMPATIBLE_DRIVER): {}",
                                    driverInstallHint()),
                          driverSearchReport());
    check(result, "vkCreateInstance");
    mTable = InstanceTable::load(getInstanceProcAddr, mHandle);
    if (validation.any() && mTable.vkCreateDebugUtilsMessengerEXT)
        check(mTable.vkCreateDebugUtilsMessengerEXT(mHandle, &messenger, nullptr, &mMessenger),
              "vkCreateDebugUtilsMessengerEXT");
    mPhysicalDevices = readDevices(mTable, mHandle, mApiVersion);
}

std::shared_ptr<Instance> Instance::acquire(const ValidationRequest& validation) {
    // Never destroyed: NVIDIA's driver (580) can be loaded and unloaded only some twenty times in a
    // process, and takes 80 ms to create an instance.
    static auto& mutex = *new std::mutex;
    static auto& instances = *new std::vector<std::shared_ptr<Instance>>;
    requireDriver();
    const std::lock_guard lock(mutex);
    for (const auto& instance : instances)
        if (instance->validation() == validation)
            return instance;

    std::shared_ptr<Instance> instance(new Instance);
    instance->create(validation);
    noteDriverUse(instance->mHandle, finishDevices, leaveDevices);
    instances.push_back(instance);
    return instance;
}

std::shared_ptr<Instance> Instance::wrap(VkInstance handle, PFN_vkGetInstanceProcAddr getProcAddr,
                                         uint32_t apiVersion) {
    requireDriver();
    if (!handle)
        throw InvalidArgument("the VkInstance to wrap is null");
    std::shared_ptr<Instance> instance(new Instance);
    instance->mHandle = handle;
    instance->mApiVersion = std::min(apiVersion, kMaxApiVersion);
    instance->mTable =
        InstanceTable::load(getProcAddr ? getProcAddr : loaderGetInstanceProcAddr(), handle);
    if (!instance->mTable.vkEnumeratePhysicalDevices)
        throw InvalidArgument("the VkInstance to wrap is not one of the Vulkan loader in use; give "
                              "the vkGetInstanceProcAddr that created it");
    instance->mDebugUtils = instance->mTable.vkCreateDebugUtilsMessengerEXT != nullptr;
    instance->mPhysicalDevices = readDevices(instance->mTable, handle, instance->mApiVersion);
    noteDriverUse(handle, finishDevices, leaveDevices);
    return instance;
}

Instance::~Instance() {
    if (driverGone())
        return;
    if (mMessenger && mTable.vkDestroyDebugUtilsMessengerEXT)
        mTable.vkDestroyDebugUtilsMessengerEXT(mHandle, mMessenger, nullptr);
    if (mOwned && mTable.vkDestroyInstance)
        mTable.vkDestroyInstance(mHandle, nullptr);
}

} // namespace kp::vulkan
