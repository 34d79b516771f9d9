// SPDX-License-Identifier: Apache-2.0
#include "HostVulkan.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Loader.hpp"
#include "vulkan/device/Validation.hpp"

namespace kp::test {
namespace {

void require(VkResult result, const char* what) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string("the host application's ") + what +
                                 " failed: " + std::to_string(result));
}

} // namespace

struct HostVulkan::Impl {
    struct HostBuffer {
        VkDeviceMemory memory = VK_NULL_HANDLE;
        void* mapped = nullptr;
    };

    Kind kind;
    uint32_t apiVersion = VK_API_VERSION_1_1;
    VkInstance instance = VK_NULL_HANDLE;
    vulkan::InstanceTable table;
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkDevice device = VK_NULL_HANDLE;
    VolkDeviceTable vk{};
    uint32_t family = 0;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkPhysicalDeviceFeatures2 features{};
    VkPhysicalDeviceVulkan12Features features12{};
    std::map<VkBuffer, HostBuffer> buffers;

    void makeInstance();
    void makeDevice(const kp::Manager& like);
};

void HostVulkan::Impl::makeInstance() {
    const auto getProcAddr = vulkan::loaderGetInstanceProcAddr();
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(getProcAddr(nullptr, "vkCreateInstance"));
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = apiVersion;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;

    const char* list = std::getenv("KOMPUTE_VALIDATION");
    const auto validation = vulkan::ValidationRequest::parse(list ? list : "");
    VkDebugUtilsMessengerCreateInfoEXT messages = vulkan::messengerCreateInfo();
    std::optional<vulkan::ValidationSettings> settings;
    std::vector<const char*> layers, extensions;
    if (validation.any()) {
        settings.emplace(validation, vulkan::ValidationLayer{0, false, true});
        layers.push_back(vulkan::kValidationLayer);
        extensions = settings->extensions();
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
        info.pNext = settings->link(&messages);
    }
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    require(create(&info, nullptr, &instance), "vkCreateInstance");
    table = vulkan::InstanceTable::load(getProcAddr, instance);
    if (validation.any())
        require(table.vkCreateDebugUtilsMessengerEXT(instance, &messages, nullptr, &messenger),
                "vkCreateDebugUtilsMessengerEXT");
}

void HostVulkan::Impl::makeDevice(const kp::Manager& like) {
    uint32_t count = 0;
    table.vkEnumeratePhysicalDevices(instance, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    table.vkEnumeratePhysicalDevices(instance, &count, devices.data());
    physical = devices.at(like.deviceInfo().index);
    table.vkGetPhysicalDeviceProperties(physical, &properties);
    // Kompute's constructor for existing devices expects the first family with compute.
    const std::vector<uint32_t> queues = like.deviceInfo().computeQueues;
    while (queues.at(family) == 0)
        ++family;

    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (kind == Kind::eModern && properties.apiVersion >= VK_API_VERSION_1_2) {
        VkPhysicalDeviceVulkan12Features has12{features12.sType};
        VkPhysicalDeviceFeatures2 has{features.sType, &has12};
        table.vkGetPhysicalDeviceFeatures2(physical, &has);
        features.features.shaderInt64 = has.features.shaderInt64;
        features.features.shaderFloat64 = has.features.shaderFloat64;
        features12.timelineSemaphore = has12.timelineSemaphore;
        features.pNext = &features12;
    }
    const float priority = 1;
    VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueFamilyIndex = family;
    queueInfo.queueCount = 1;
    queueInfo.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    require(table.vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    vulkan::loadDeviceTable(vk, device, table.vkGetDeviceProcAddr);
    vk.vkGetDeviceQueue(device, family, 0, &queue);
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = family;
    require(vk.vkCreateCommandPool(device, &poolInfo, nullptr, &pool), "vkCreateCommandPool");
}

HostVulkan::HostVulkan(const kp::Manager& like, Kind kind) : mImpl(std::make_unique<Impl>()) {
    mImpl->kind = kind;
    if (kind == Kind::eModern && like.deviceInfo().apiVersion >= VK_API_VERSION_1_2)
        mImpl->apiVersion = VK_API_VERSION_1_2;
    mImpl->makeInstance();
    mImpl->makeDevice(like);
}

HostVulkan::~HostVulkan() {
    Impl& impl = *mImpl;
    impl.vk.vkDeviceWaitIdle(impl.device);
    for (const auto& [buffer, memory] : impl.buffers) {
        impl.vk.vkDestroyBuffer(impl.device, buffer, nullptr);
        impl.vk.vkFreeMemory(impl.device, memory.memory, nullptr);
    }
    impl.vk.vkDestroyCommandPool(impl.device, impl.pool, nullptr);
    impl.vk.vkDestroyDevice(impl.device, nullptr);
    if (impl.messenger)
        impl.table.vkDestroyDebugUtilsMessengerEXT(impl.instance, impl.messenger, nullptr);
    impl.table.vkDestroyInstance(impl.instance, nullptr);
}

VkInstance HostVulkan::instance() const {
    return mImpl->instance;
}
VkPhysicalDevice HostVulkan::physicalDevice() const {
    return mImpl->physical;
}
VkDevice HostVulkan::device() const {
    return mImpl->device;
}
VkQueue HostVulkan::queue() const {
    return mImpl->queue;
}
uint32_t HostVulkan::family() const {
    return mImpl->family;
}
uint64_t HostVulkan::offsetAlignment() const {
    return mImpl->properties.limits.minStorageBufferOffsetAlignment;
}

kp::HostDevice HostVulkan::description() const {
    kp::HostDevice host;
    host.instance = mImpl->instance;
    host.physicalDevice = mImpl->physical;
    host.device = mImpl->device;
    host.apiVersion = mImpl->apiVersion;
    host.queues = {{mImpl->queue, mImpl->family, 0}};
    host.enabledFeatures = &mImpl->features;
    return host;
}

VkBuffer HostVulkan::makeBuffer(uint64_t bytes) {
    Impl& impl = *mImpl;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    require(impl.vk.vkCreateBuffer(impl.device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs{};
    impl.vk.vkGetBufferMemoryRequirements(impl.device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory{};
    impl.table.vkGetPhysicalDeviceMemoryProperties(impl.physical, &memory);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    // Best practices warn about small allocations.
    allocate.allocationSize = std::max<VkDeviceSize>(2 * needs.size, 1u << 20);
    for (uint32_t i = memory.memoryTypeCount; i-- > 0;)
        if ((needs.memoryTypeBits >> i & 1) != 0 &&
            (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            allocate.memoryTypeIndex = i;
    Impl::HostBuffer& made = impl.buffers[buffer];
    require(impl.vk.vkAllocateMemory(impl.device, &allocate, nullptr, &made.memory),
            "vkAllocateMemory");
    require(impl.vk.vkBindBufferMemory(impl.device, buffer, made.memory, 0), "vkBindBufferMemory");
    require(impl.vk.vkMapMemory(impl.device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped),
            "vkMapMemory");
    return buffer;
}

uint32_t* HostVulkan::contents(VkBuffer buffer) {
    return static_cast<uint32_t*>(mImpl->buffers.at(buffer).mapped);
}

VkCommandBuffer HostVulkan::begin() {
    Impl& impl = *mImpl;
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = impl.pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    require(impl.vk.vkAllocateCommandBuffers(impl.device, &info, &commands),
            "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    require(impl.vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    return commands;
}

void HostVulkan::recordFill(VkCommandBuffer commands, VkBuffer buffer, uint32_t value) {
    mImpl->vk.vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, value);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    mImpl->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr,
                                   0, nullptr);
}

void HostVulkan::submitAndWait(VkCommandBuffer commands) {
    require(mImpl->vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    require(mImpl->vk.vkQueueSubmit(mImpl->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    require(mImpl->vk.vkQueueWaitIdle(mImpl->queue), "vkQueueWaitIdle");
}

} // namespace kp::test
