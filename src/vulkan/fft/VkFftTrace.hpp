// SPDX-License-Identifier: Apache-2.0
#pragma once

// Instead of Vulkan and glslang, VkFFT calls the functions of namespace trace below: VkFft.cpp
// defines their names as macros before it includes VkFFT. They have Vulkan's and glslang's types
// and note the requests. Only VkFft.cpp includes this.

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <glslang/Include/glslang_c_interface.h>
#include <vulkan/vulkan.h>

#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan::trace {

struct Plan;

struct DescriptorSet {
    std::map<uint32_t, FftProgram::Binding> bindings;
};

/// A recorded copy from mapped memory, or a dispatch.
struct Commands {
    Plan* plan = nullptr;
    const DescriptorSet* set = nullptr;
    uint32_t kernel = 0;
    std::vector<uint32_t> push;
    std::vector<std::variant<FftProgram::Upload, FftProgram::Dispatch>> steps;
};

/// The object behind all handles: a VkDevice and a VkQueue are its address, the handles of buffers
/// and memory are numbers from 1 on, and shader modules and pipelines are kernels from 1 on.
struct Plan {
    FftProgram program;
    FftLimits limits;
    std::deque<Commands> commands;
    std::deque<DescriptorSet> sets;
    std::map<uint64_t, std::vector<std::byte>> mapped; ///< by number of the memory
    bool readsBack = false; ///< was asked for a copy of contents that only a device has
};

template <typename Handle>
Handle handleOf(uint64_t number) {
    return (Handle)(uintptr_t)number; // pointers or integers, as the platform has it
}
template <typename Handle>
uint64_t numberOf(Handle handle) {
    return (uint64_t)(uintptr_t)handle;
}
template <typename Handle>
Plan& planOf(Handle handle) {
    return *reinterpret_cast<Plan*>(handle);
}
template <typename Handle>
Commands& commandsOf(Handle handle) {
    return *reinterpret_cast<Commands*>(handle);
}

// --- the device ---------------------------------------------------------------------------------
inline void getPhysicalDeviceProperties(VkPhysicalDevice device,
                                        VkPhysicalDeviceProperties* properties) {
    const FftLimits& limits = planOf(device).limits;
    *properties = {};
    properties->vendorID = limits.vendor;
    VkPhysicalDeviceLimits& out = properties->limits;
    out.maxComputeWorkGroupInvocations = limits.maxGroupInvocations;
    out.maxComputeSharedMemorySize = limits.sharedBytes;
    for (size_t i = 0; i < 3; ++i) {
        out.maxComputeWorkGroupSize[i] = limits.maxGroupSize[i];
        out.maxComputeWorkGroupCount[i] = limits.maxGroupCount[i];
    }
}

inline void getPhysicalDeviceMemoryProperties(VkPhysicalDevice,
                                              VkPhysicalDeviceMemoryProperties* properties) {
    *properties = {};
    properties->memoryTypeCount = 1;
    properties->memoryTypes[0].propertyFlags = ~VkMemoryPropertyFlags{0};
    properties->memoryHeapCount = 1;
    properties->memoryHeaps[0].size = ~VkDeviceSize{0};
}

// --- memory -------------------------------------------------------------------------------------
inline VkResult createBuffer(VkDevice device, const VkBufferCreateInfo* info, const void*,
                             VkBuffer* buffer) {
    std::vector<uint64_t>& bytes = planOf(device).program.memoryBytes;
    bytes.push_back(info->size);
    *buffer = handleOf<VkBuffer>(bytes.size());
    return VK_SUCCESS;
}

inline void getBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                        VkMemoryRequirements* requirements) {
    requirements->size = planOf(device).program.memoryBytes[numberOf(buffer) - 1];
    requirements->alignment = 1;
    requirements->memoryTypeBits = 1;
}

inline VkResult allocateMemory(VkDevice device, const VkMemoryAllocateInfo*, const void*,
                               VkDeviceMemory* memory) {
    // VkFFT binds each memory to the buffer that it created last.
    *memory = handleOf<VkDeviceMemory>(planOf(device).program.memoryBytes.size());
    return VK_SUCCESS;
}

inline VkResult bindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize) {
    return numberOf(buffer) == numberOf(memory) ? VK_SUCCESS : VK_ERROR_UNKNOWN;
}

inline VkResult mapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize,
                          VkMemoryMapFlags, void** data) {
    Plan& plan = planOf(device);
    std::vector<std::byte>& bytes = plan.mapped[numberOf(memory)];
    bytes.resize(plan.program.memoryBytes[numberOf(memory) - 1]);
    *data = bytes.data();
    return VK_SUCCESS;
}

inline void freeMemory(VkDevice device, VkDeviceMemory memory, const void*) {
    planOf(device).mapped.erase(numberOf(memory));
}

// --- descriptors, shaders and pipelines
// -----------------------------------------------------------
inline VkResult allocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* info,
                                       VkDescriptorSet* sets) {
    Plan& plan = planOf(device);
    for (uint32_t i = 0; i < info->descriptorSetCount; ++i) {
        plan.sets.emplace_back();
        sets[i] = handleOf<VkDescriptorSet>((uintptr_t)&plan.sets.back());
    }
    return VK_SUCCESS;
}

inline void updateDescriptorSets(VkDevice, uint32_t count, const VkWriteDescriptorSet* writes,
                                 uint32_t, const void*) {
    for (uint32_t i = 0; i < count; ++i) {
        const VkDescriptorBufferInfo& info = *writes[i].pBufferInfo;
        auto& set = *reinterpret_cast<DescriptorSet*>(numberOf(writes[i].dstSet));
        FftProgram::Binding binding;
        binding.memory = static_cast<uint32_t>(numberOf(info.buffer) - 1);
        binding.offset = info.offset;
        binding.bytes = info.range;
        // VkFFT's shaders read binding 0 and write binding 1. Tables follow.
        binding.writes = writes[i].dstBinding == 1;
        set.bindings[writes[i].dstBinding] = binding;
    }
}

inline VkResult createShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                   const void*, VkShaderModule* module) {
    // The "SPIR-V" is the GLSL, padded with zeros: see programGetPointer().
    std::vector<std::string>& kernels = planOf(device).program.kernels;
    kernels.emplace_back(reinterpret_cast<const char*>(info->pCode));
    *module = handleOf<VkShaderModule>(kernels.size());
    return VK_SUCCESS;
}

inline VkResult createComputePipelines(VkDevice, VkPipelineCache, uint32_t count,
                                       const VkComputePipelineCreateInfo* infos, const void*,
                                       VkPipeline* pipelines) {
    for (uint32_t i = 0; i < count; ++i) {
        if (infos[i].stage.pSpecializationInfo)
            return VK_ERROR_UNKNOWN;
        pipelines[i] = handleOf<VkPipeline>(numberOf(infos[i].stage.module));
    }
    return VK_SUCCESS;
}

/// For objects whose contents do not matter.
template <typename Handle>
VkResult create(VkDevice, const void*, const void*, Handle* handle) {
    *handle = handleOf<Handle>(1);
    return VK_SUCCESS;
}
template <typename Handle>
void destroy(VkDevice, Handle, const void*) {}

// --- commands
// -------------------------------------------------------------------------------------
inline VkResult allocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                       VkCommandBuffer* buffers) {
    Plan& plan = planOf(device);
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
        plan.commands.emplace_back().plan = &plan;
        buffers[i] = reinterpret_cast<VkCommandBuffer>(&plan.commands.back());
    }
    return VK_SUCCESS;
}

inline void cmdCopyBuffer(VkCommandBuffer buffer, VkBuffer source, VkBuffer destination, uint32_t,
                          const VkBufferCopy* region) {
    Commands& commands = commandsOf(buffer);
    if (!commands.plan->mapped.contains(numberOf(source))) {
        commands.plan->readsBack = true;
        return;
    }
    FftProgram::Upload upload;
    upload.memory = static_cast<uint32_t>(numberOf(destination) - 1);
    upload.bytes = commands.plan->mapped[numberOf(source)];
    upload.bytes.resize(region->size);
    commands.steps.emplace_back(std::move(upload));
}

inline void cmdBindPipeline(VkCommandBuffer buffer, VkPipelineBindPoint, VkPipeline pipeline) {
    commandsOf(buffer).kernel = static_cast<uint32_t>(numberOf(pipeline) - 1);
    commandsOf(buffer).push.clear();
}

inline void cmdBindDescriptorSets(VkCommandBuffer buffer, VkPipelineBindPoint, VkPipelineLayout,
                                  uint32_t, uint32_t, const VkDescriptorSet* sets, uint32_t,
                                  const uint32_t*) {
    commandsOf(buffer).set = reinterpret_cast<const DescriptorSet*>(numberOf(sets[0]));
}

inline void cmdPushConstants(VkCommandBuffer buffer, VkPipelineLayout, VkShaderStageFlags, uint32_t,
                             uint32_t bytes, const void* values) {
    std::vector<uint32_t>& push = commandsOf(buffer).push;
    push.assign((bytes + 3) / 4, 0);
    std::memcpy(push.data(), values, bytes);
}

inline void cmdDispatch(VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z) {
    Commands& commands = commandsOf(buffer);
    FftProgram::Dispatch dispatch;
    dispatch.kernel = commands.kernel;
    for (const auto& [number, binding] : commands.set->bindings)
        dispatch.bindings.push_back(binding);
    dispatch.push = commands.push;
    dispatch.groups = {x, y, z};
    commands.steps.emplace_back(std::move(dispatch));
}

/// Each step is recorded with the barriers that it needs, regardless of VkFFT's requests.
inline void cmdPipelineBarrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags,
                               VkDependencyFlags, uint32_t, const VkMemoryBarrier*, uint32_t,
                               const void*, uint32_t, const void*) {}

inline VkResult queueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence) {
    auto& setup = planOf(queue).program.setup;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = 0; j < infos[i].commandBufferCount; ++j)
            for (auto& step : commandsOf(infos[i].pCommandBuffers[j]).steps)
                setup.push_back(std::move(step));
    return VK_SUCCESS;
}

// --- glslang: passes the text on
// ------------------------------------------------------------------
struct Shader {
    std::string text;
};
struct Program {
    std::vector<uint32_t> words;
};

/// glslang_resource_t and glslang_input_t for lists of values without names.
struct Resources {
    int numbers[93];
    int limits[9];
};
struct Input {
    int language, stage, client, clientVersion, targetLanguage, targetLanguageVersion;
    const char* code;
    int version, profile, forceVersion, forwardCompatible, messages;
    const Resources* resources;
};

template <typename AnyInput>
Shader* shaderCreate(const AnyInput* input) {
    return new Shader{input->code};
}
inline void programAddShader(Program* program, Shader* shader) {
    program->words.assign(shader->text.size() / sizeof(uint32_t) + 1, 0);
    std::memcpy(program->words.data(), shader->text.data(), shader->text.size());
}
/// Returns the zero-terminated GLSL.
inline uint32_t* programGetPointer(Program* program) {
    return program->words.data();
}

} // namespace kp::vulkan::trace
