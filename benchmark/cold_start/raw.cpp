// SPDX-License-Identifier: Apache-2.0
//
// Raw Vulkan with as few calls as possible. The argument names the file of the pipeline cache.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "ColdStart.hpp"
#include "Work.hpp"
#include "vulkan/device/Vulkan.hpp"

namespace {

void require(VkResult result, const char* what) {
    if (result >= 0)
        return;
    std::fprintf(stderr, "%s: VkResult %d\n", what, result);
    std::exit(2);
}

struct Chosen {
    VkPhysicalDevice device = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    uint32_t family = 0;
};

/// Returns the first discrete GPU with compute, or else the first device with compute.
Chosen choose(VkInstance instance) {
    uint32_t count = 0;
    require(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    require(vkEnumeratePhysicalDevices(instance, &count, devices.data()),
            "vkEnumeratePhysicalDevices");
    Chosen best;
    for (const VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties{};
        vkGetPhysicalDeviceProperties(device, &properties);
        if (best.device && properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
            continue;
        uint32_t families = 0;
        vkGetPhysicalDeviceQueueFamilyProperties(device, &families, nullptr);
        std::vector<VkQueueFamilyProperties> list(families);
        vkGetPhysicalDeviceQueueFamilyProperties(device, &families, list.data());
        for (uint32_t i = 0; i < families; ++i)
            if (list[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
                best = {device, properties, i};
                break;
            }
        if (best.device == device && properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
            break;
    }
    if (!best.device) {
        std::fprintf(stderr, "no device supports compute\n");
        std::exit(2);
    }
    return best;
}

struct Memory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
};

Memory makeBuffer(VkPhysicalDevice physical, VkDevice device, VkDeviceSize bytes,
                  VkMemoryPropertyFlags flags) {
    Memory created;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    require(vkCreateBuffer(device, &info, nullptr, &created.buffer), "vkCreateBuffer");
    VkMemoryRequirements needed{};
    vkGetBufferMemoryRequirements(device, created.buffer, &needed);
    VkPhysicalDeviceMemoryProperties types{};
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needed.size;
    while (!(needed.memoryTypeBits & (1u << allocate.memoryTypeIndex)) ||
           (types.memoryTypes[allocate.memoryTypeIndex].propertyFlags & flags) != flags)
        ++allocate.memoryTypeIndex;
    require(vkAllocateMemory(device, &allocate, nullptr, &created.memory), "vkAllocateMemory");
    require(vkBindBufferMemory(device, created.buffer, created.memory, 0), "vkBindBufferMemory");
    return created;
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags before, VkAccessFlags beforeAccess,
             VkPipelineStageFlags after, VkAccessFlags afterAccess) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = beforeAccess;
    barrier.dstAccessMask = afterAccess;
    vkCmdPipelineBarrier(commands, before, after, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<uint32_t> before = cold::input();
    const VkDeviceSize bytes = cold::kCount * sizeof(uint32_t);
    require(volkInitialize(), "volkInitialize");
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo instanceInfo{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    instanceInfo.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    require(vkCreateInstance(&instanceInfo, nullptr, &instance), "vkCreateInstance");
    volkLoadInstance(instance);
    const Chosen chosen = choose(instance);

    const float priority = 1;
    VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueFamilyIndex = chosen.family;
    queueInfo.queueCount = 1;
    queueInfo.pQueuePriorities = &priority;
    VkDeviceCreateInfo deviceInfo{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    deviceInfo.queueCreateInfoCount = 1;
    deviceInfo.pQueueCreateInfos = &queueInfo;
    VkDevice device = VK_NULL_HANDLE;
    require(vkCreateDevice(chosen.device, &deviceInfo, nullptr, &device), "vkCreateDevice");
    volkLoadDevice(device);
    VkQueue queue = VK_NULL_HANDLE;
    vkGetDeviceQueue(device, chosen.family, 0, &queue);

    const Memory work =
        makeBuffer(chosen.device, device, bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const Memory host =
        makeBuffer(chosen.device, device, bytes,
                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                       VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    void* mapped = nullptr;
    require(vkMapMemory(device, host.memory, 0, bytes, 0, &mapped), "vkMapMemory");
    std::memcpy(mapped, before.data(), bytes);

    std::vector<char> cacheData;
    if (argc > 1) {
        std::ifstream file(argv[1], std::ios::binary);
        cacheData.assign(std::istreambuf_iterator<char>(file), {});
    }
    VkPipelineCacheCreateInfo cacheInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    cacheInfo.initialDataSize = cacheData.size();
    cacheInfo.pInitialData = cacheData.data();
    VkPipelineCache cache = VK_NULL_HANDLE;
    require(vkCreatePipelineCache(device, &cacheInfo, nullptr, &cache), "vkCreatePipelineCache");

    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                               VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 1;
    setInfo.pBindings = &binding;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    require(vkCreateDescriptorSetLayout(device, &setInfo, nullptr, &setLayout),
            "vkCreateDescriptorSetLayout");
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &setLayout;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    require(vkCreatePipelineLayout(device, &layoutInfo, nullptr, &layout),
            "vkCreatePipelineLayout");
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = kp::COLDSTART_COMP_SPV.size() * sizeof(uint32_t);
    moduleInfo.pCode = kp::COLDSTART_COMP_SPV.data();
    VkShaderModule module = VK_NULL_HANDLE;
    require(vkCreateShaderModule(device, &moduleInfo, nullptr, &module), "vkCreateShaderModule");
    VkComputePipelineCreateInfo pipelineInfo{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipelineInfo.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipelineInfo.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipelineInfo.stage.module = module;
    pipelineInfo.stage.pName = "main";
    pipelineInfo.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    require(vkCreateComputePipelines(device, cache, 1, &pipelineInfo, nullptr, &pipeline),
            "vkCreateComputePipelines");

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    require(vkCreateDescriptorPool(device, &poolInfo, nullptr, &pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo setAllocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    setAllocate.descriptorPool = pool;
    setAllocate.descriptorSetCount = 1;
    setAllocate.pSetLayouts = &setLayout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    require(vkAllocateDescriptorSets(device, &setAllocate, &set), "vkAllocateDescriptorSets");
    const VkDescriptorBufferInfo bound{work.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &bound;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);

    VkCommandPoolCreateInfo commandPoolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    commandPoolInfo.queueFamilyIndex = chosen.family;
    VkCommandPool commandPool = VK_NULL_HANDLE;
    require(vkCreateCommandPool(device, &commandPoolInfo, nullptr, &commandPool),
            "vkCreateCommandPool");
    VkCommandBufferAllocateInfo commandInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    commandInfo.commandPool = commandPool;
    commandInfo.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    require(vkAllocateCommandBuffers(device, &commandInfo, &commands), "vkAllocateCommandBuffers");
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    require(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    const VkBufferCopy whole{0, 0, bytes};
    vkCmdCopyBuffer(commands, host.buffer, work.buffer, 1, &whole);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0,
                            nullptr);
    vkCmdDispatch(commands, cold::kCount / 64, 1, 1);
    barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    vkCmdCopyBuffer(commands, work.buffer, host.buffer, 1, &whole);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    require(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    require(vkCreateFence(device, &fenceInfo, nullptr, &fence), "vkCreateFence");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    require(vkQueueSubmit(queue, 1, &submit, fence), "vkQueueSubmit");
    require(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    const int status = cold::finish(before, static_cast<const uint32_t*>(mapped));

    if (argc > 1) {
        size_t length = 0;
        require(vkGetPipelineCacheData(device, cache, &length, nullptr), "vkGetPipelineCacheData");
        cacheData.resize(length);
        require(vkGetPipelineCacheData(device, cache, &length, cacheData.data()),
                "vkGetPipelineCacheData");
        std::ofstream(argv[1], std::ios::binary)
            .write(cacheData.data(), static_cast<std::streamsize>(length));
    }
    vkDestroyFence(device, fence, nullptr);
    vkDestroyCommandPool(device, commandPool, nullptr);
    vkDestroyDescriptorPool(device, pool, nullptr);
    vkDestroyPipeline(device, pipeline, nullptr);
    vkDestroyShaderModule(device, module, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device, setLayout, nullptr);
    vkDestroyPipelineCache(device, cache, nullptr);
    for (const Memory& memory : {work, host}) {
        vkDestroyBuffer(device, memory.buffer, nullptr);
        vkFreeMemory(device, memory.memory, nullptr);
    }
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
    return status;
}
