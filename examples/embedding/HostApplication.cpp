// SPDX-License-Identifier: Apache-2.0
#include "HostApplication.hpp"

#include <stdexcept>

namespace {

void check(VkResult result, const char* call) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(call) + " failed: " + std::to_string(result));
}

} // namespace

HostApplication::HostApplication(uint32_t elements) : mElementCount(elements) {
    makeInstance();
    chooseDevice();
    makeDevice();
    makeBuffer();
    makeCommandBuffer();
}

HostApplication::~HostApplication() {
    vkDestroyFence(mDevice, mFence, nullptr);
    vkDestroyCommandPool(mDevice, mPool, nullptr);
    vkDestroyBuffer(mDevice, mBuffer, nullptr);
    vkFreeMemory(mDevice, mMemory, nullptr);
    vkDestroyDevice(mDevice, nullptr);
    vkDestroyInstance(mInstance, nullptr);
}

void HostApplication::makeInstance() {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "embedding";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    check(vkCreateInstance(&info, nullptr, &mInstance), "vkCreateInstance");
}

void HostApplication::chooseDevice() {
    uint32_t count = 1;
    const VkResult result = vkEnumeratePhysicalDevices(mInstance, &count, &mPhysicalDevice);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0)
        throw std::runtime_error("no Vulkan device");

    std::vector<VkQueueFamilyProperties> families;
    vkGetPhysicalDeviceQueueFamilyProperties(mPhysicalDevice, &count, nullptr);
    families.resize(count);
    vkGetPhysicalDeviceQueueFamilyProperties(mPhysicalDevice, &count, families.data());
    while (mFamily < count && !(families[mFamily].queueFlags & VK_QUEUE_COMPUTE_BIT))
        ++mFamily;
    if (mFamily == count)
        throw std::runtime_error("the device has no queue family with compute");
}

void HostApplication::makeDevice() {
    mDescription.instance = mInstance;
    mDescription.physicalDevice = mPhysicalDevice;
    mDescription.apiVersion = VK_API_VERSION_1_2;
    mDescription.deviceExtensions = kp::recommendedDeviceExtensions(mDescription);
    for (const std::string& name : kp::requiredDeviceExtensions(mDescription))
        mDescription.deviceExtensions.push_back(name);

    mTimeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    mFeatures.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    mFeatures.pNext = &mTimeline;
    vkGetPhysicalDeviceFeatures2(mPhysicalDevice, &mFeatures);

    std::vector<const char*> extensions;
    for (const std::string& name : mDescription.deviceExtensions)
        extensions.push_back(name.c_str());
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = mFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &mFeatures;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(vkCreateDevice(mPhysicalDevice, &info, nullptr, &mDevice), "vkCreateDevice");
    vkGetDeviceQueue(mDevice, mFamily, 0, &mQueue);

    mDescription.device = mDevice;
    mDescription.queues = {{mQueue, mFamily, 0}};
    mDescription.enabledFeatures = &mFeatures;
}

void HostApplication::makeBuffer() {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = mElementCount * sizeof(float);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    check(vkCreateBuffer(mDevice, &info, nullptr, &mBuffer), "vkCreateBuffer");

    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(mDevice, mBuffer, &needs);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = hostVisibleMemoryType(needs.memoryTypeBits);
    check(vkAllocateMemory(mDevice, &allocation, nullptr, &mMemory), "vkAllocateMemory");
    check(vkBindBufferMemory(mDevice, mBuffer, mMemory, 0), "vkBindBufferMemory");
    void* mapped = nullptr;
    check(vkMapMemory(mDevice, mMemory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    mElements = static_cast<float*>(mapped);
}

uint32_t HostApplication::hostVisibleMemoryType(uint32_t allowed) const {
    constexpr VkMemoryPropertyFlags kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(mPhysicalDevice, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & kWanted) == kWanted)
            return i;
    throw std::runtime_error("no host-visible memory type");
}

void HostApplication::makeCommandBuffer() {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = mFamily;
    check(vkCreateCommandPool(mDevice, &pool, nullptr, &mPool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = mPool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(mDevice, &info, &mCommandBuffer), "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    check(vkCreateFence(mDevice, &fence, nullptr, &mFence), "vkCreateFence");
}

std::string HostApplication::deviceName() const {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(mPhysicalDevice, &properties);
    return properties.deviceName;
}

void HostApplication::submit(const std::function<void(VkCommandBuffer)>& record) {
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(mCommandBuffer, &begin), "vkBeginCommandBuffer");
    record(mCommandBuffer);

    VkMemoryBarrier toHost{};
    toHost.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    toHost.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(mCommandBuffer,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0, nullptr, 0, nullptr);
    check(vkEndCommandBuffer(mCommandBuffer), "vkEndCommandBuffer");

    VkSubmitInfo submission{};
    submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &mCommandBuffer;
    check(vkQueueSubmit(mQueue, 1, &submission, mFence), "vkQueueSubmit");
    check(vkWaitForFences(mDevice, 1, &mFence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(mDevice, 1, &mFence), "vkResetFences");
}
