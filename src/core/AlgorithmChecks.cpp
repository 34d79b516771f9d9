// SPDX-License-Identifier: Apache-2.0
#include "core/AlgorithmChecks.hpp"

#include <algorithm>
#include <string>

#include <kompute/Error.hpp>

#include "core/ImageFormat.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Specialization.hpp"

namespace kp {
namespace {

using shader::Binding;
using shader::BindingKind;
using shader::ScalarType;
using vulkan::Feature;

/// SPIR-V capabilities that a device must have switched on as a feature.
struct CapabilityFeature {
    const char* capability;
    Feature feature;
};

constexpr CapabilityFeature kCapabilities[] = {
    {"Float64", Feature::eShaderFloat64},
    {"Int64", Feature::eShaderInt64},
    {"Int16", Feature::eShaderInt16},
    {"Int8", Feature::eShaderInt8},
    {"Float16", Feature::eShaderFloat16},
    {"StorageBuffer16BitAccess", Feature::eStorageBuffer16BitAccess},
    {"StorageUniformBufferBlock16", Feature::eStorageBuffer16BitAccess},
    {"UniformAndStorageBuffer16BitAccess", Feature::eUniformAndStorageBuffer16BitAccess},
    {"StoragePushConstant16", Feature::eStoragePushConstant16},
    {"StorageBuffer8BitAccess", Feature::eStorageBuffer8BitAccess},
    {"UniformAndStorageBuffer8BitAccess", Feature::eUniformAndStorageBuffer8BitAccess},
    {"StoragePushConstant8", Feature::eStoragePushConstant8},
    {"VariablePointersStorageBuffer", Feature::eVariablePointersStorageBuffer},
    {"VariablePointers", Feature::eVariablePointers},
    {"VulkanMemoryModel", Feature::eVulkanMemoryModel},
    {"VulkanMemoryModelDeviceScope", Feature::eVulkanMemoryModelDeviceScope},
    {"PhysicalStorageBufferAddresses", Feature::eBufferDeviceAddress},
    {"StorageImageReadWithoutFormat", Feature::eShaderStorageImageReadWithoutFormat},
    {"StorageImageWriteWithoutFormat", Feature::eShaderStorageImageWriteWithoutFormat},
    {"StorageImageExtendedFormats", Feature::eShaderStorageImageExtendedFormats},
    {"DotProduct", Feature::eShaderIntegerDotProduct},
    {"DotProductInput4x8Bit", Feature::eShaderIntegerDotProduct},
    {"DotProductInput4x8BitPacked", Feature::eShaderIntegerDotProduct},
    {"DotProductInputAll", Feature::eShaderIntegerDotProduct},
    {"WorkgroupMemoryExplicitLayoutKHR", Feature::eWorkgroupMemoryExplicitLayout},
#ifdef VK_KHR_cooperative_matrix
    {"CooperativeMatrixKHR", Feature::eCooperativeMatrix},
#endif
};

/// Capabilities that any one of several features allows.
struct CapabilityFeatures {
    const char* capability;
    Feature features[3];
};

constexpr CapabilityFeatures kAnyOf[] = {
    {"Int64Atomics",
     {Feature::eShaderBufferInt64Atomics, Feature::eShaderSharedInt64Atomics,
      Feature::eShaderBufferInt64Atomics}},
    {"AtomicFloat32AddEXT",
     {Feature::eShaderBufferFloat32AtomicAdd, Feature::eShaderSharedFloat32AtomicAdd,
      Feature::eShaderImageFloat32AtomicAdd}},
    {"AtomicFloat64AddEXT",
     {Feature::eShaderBufferFloat64AtomicAdd, Feature::eShaderSharedFloat64AtomicAdd,
      Feature::eShaderBufferFloat64AtomicAdd}},
    {"ShaderClockKHR",
     {Feature::eShaderSubgroupClock, Feature::eShaderDeviceClock, Feature::eShaderSubgroupClock}},
};

std::string describe(const Binding& binding) {
    return "binding " + std::to_string(binding.binding) +
           (binding.name.empty() ? std::string() : " '" + binding.name + "'");
}

std::string describe(const Memory::Impl& memory) {
    return std::string(memory.image ? "an image of " : "a tensor of ") +
           std::to_string(memory.count) + " " + Memory::toString(memory.dataType);
}

uint32_t scalarSize(Memory::DataTypes type) {
    return Memory::dataTypeMemorySize(type);
}

/// Small numbers packed into 32-bit integers are a common and sound way to read them.
bool packs(ScalarType declared, uint32_t given) {
    return (declared == ScalarType::eUint32 || declared == ScalarType::eInt32) && given < 4;
}

void checkTensor(const Binding& binding, const Memory::Impl& memory, const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    const bool uniform = binding.kind == BindingKind::eUniformBuffer;
    const uint64_t range = uniform ? limits.maxUniformBufferRange : limits.maxStorageBufferRange;
    if (memory.bytes() > range)
        throw InvalidArgument(describe(binding) + ": a tensor of " +
                              std::to_string(memory.bytes()) + " bytes is over " + device.name() +
                              "'s " +
                              (uniform ? "maxUniformBufferRange" : "maxStorageBufferRange") +
                              " of " + std::to_string(range));
    if (memory.bytes() < binding.fixedSize)
        throw ShaderError(describe(binding) + " is declared with " +
                          std::to_string(binding.fixedSize) + " bytes, but was given " +
                          describe(memory) + " with " + std::to_string(memory.bytes()) + " bytes");
    const uint32_t given = scalarSize(memory.dataType);
    const uint32_t declared = shader::sizeOf(binding.elementType);
    const bool fits = declared == given || declared * binding.elementComponents == given ||
                      packs(binding.elementType, given);
    if (declared != 0 && given != 0 && !fits)
        throw ShaderError(describe(binding) + " is declared as " +
                          shader::nameOf(binding.elementType) + " (" + std::to_string(declared) +
                          " bytes), but was given " + describe(memory) + " (" +
                          std::to_string(given) + " bytes each)");
}

bool isFloat(Memory::DataTypes type) {
    return type == Memory::DataTypes::eFloat || type == Memory::DataTypes::eHalf ||
           type == Memory::DataTypes::eDouble || type == Memory::DataTypes::eBFloat16;
}

bool isSigned(Memory::DataTypes type) {
    return type == Memory::DataTypes::eInt || type == Memory::DataTypes::eShort ||
           type == Memory::DataTypes::eChar || type == Memory::DataTypes::eLong;
}

void checkImage(const Binding& binding, const Memory::Impl& memory) {
    if (binding.imageDimensions != 2 || binding.imageArrayed)
        throw ShaderError(describe(binding) + " is declared as an image of " +
                          std::to_string(binding.imageDimensions) + " dimensions" +
                          (binding.imageArrayed ? " in an array" : "") +
                          ", but images of this library are image2D");
    const VkFormat declared = formatOfSpirv(binding.imageFormat);
    const VkFormat given = memory.image->info().format;
    if (binding.imageFormat != 0 && declared != given)
        throw ShaderError(describe(binding) + " is declared with format " +
                          (declared == VK_FORMAT_UNDEFINED
                               ? "number " + std::to_string(binding.imageFormat) + " of SPIR-V"
                               : nameOfFormat(declared)) +
                          ", but was given " + describe(memory) + " with format " +
                          nameOfFormat(given));
    const bool wantsFloat = binding.imageType == ScalarType::eFloat32;
    const bool wantsSigned = binding.imageType == ScalarType::eInt32;
    const bool fits = isFloat(memory.dataType)
                          ? wantsFloat
                          : !wantsFloat && wantsSigned == isSigned(memory.dataType);
    if (binding.imageType != ScalarType::eUnknown && !fits)
        throw ShaderError(describe(binding) + " is declared as an image of " +
                          shader::nameOf(binding.imageType) + ", but was given " +
                          describe(memory));
}

} // namespace

void checkDevice(const shader::Reflection& reflection, const vulkan::Device& device,
                 const Workgroup& localSize) {
    const auto refuse = [&](const std::string& capability, const std::string& feature) {
        throw ShaderError("the shader needs " + capability + ", but " + device.name() +
                          (device.wrapped() ? " was not created with" : " does not have") +
                          " the feature " + feature);
    };
    for (const std::string& capability : reflection.capabilities) {
        for (const CapabilityFeature& entry : kCapabilities)
            if (capability == entry.capability && !device.has(entry.feature))
                refuse(capability, vulkan::nameOf(entry.feature));
        for (const CapabilityFeatures& entry : kAnyOf)
            if (capability == entry.capability &&
                std::none_of(std::begin(entry.features), std::end(entry.features),
                             [&](Feature feature) { return device.has(feature); }))
                refuse(capability, vulkan::nameOf(entry.features[0]));
    }
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; ++i) {
        invocations *= localSize[i];
        if (localSize[i] == 0 || localSize[i] > limits.maxComputeWorkGroupSize[i])
            throw ShaderError("the shader's local size of " + std::to_string(localSize[i]) +
                              " in dimension " + "xyz"[i] + " is not within 1 and " +
                              device.name() + "'s maxComputeWorkGroupSize of " +
                              std::to_string(limits.maxComputeWorkGroupSize[i]));
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        throw ShaderError("the shader's " + std::to_string(invocations) +
                          " invocations per work group are over " + device.name() +
                          "'s maxComputeWorkGroupInvocations of " +
                          std::to_string(limits.maxComputeWorkGroupInvocations));
}

void checkBindings(const shader::Reflection& reflection, const vulkan::Device& device,
                   const std::vector<std::shared_ptr<Memory>>& memObjects) {
    for (size_t i = 0; i < memObjects.size(); ++i) {
        if (!memObjects[i])
            throw InvalidArgument("memory object " + std::to_string(i) + " is null");
        requireSameDevice(*memObjects[i], device, "an algorithm");
    }
    for (const Binding& binding : reflection.bindings) {
        if (binding.set != 0)
            throw ShaderError(describe(binding) + " is in descriptor set " +
                              std::to_string(binding.set) + "; all bindings must be in set 0");
        if (binding.count != 1)
            throw ShaderError(describe(binding) +
                              " is an array of descriptors; give each buffer or "
                              "image a binding of its own");
        const bool buffer = binding.kind == BindingKind::eStorageBuffer ||
                            binding.kind == BindingKind::eUniformBuffer;
        const bool image = binding.kind == BindingKind::eStorageImage;
        if (!buffer && !image)
            throw ShaderError(describe(binding) +
                              " is neither a storage buffer, a uniform buffer nor "
                              "a storage image; samplers and texel buffers cannot be bound");
        if (binding.binding >= memObjects.size())
            throw ShaderError(
                "the shader uses " + describe(binding) + ", but only " +
                std::to_string(memObjects.size()) +
                (memObjects.size() == 1 ? " memory object was" : " memory objects were") +
                " given (binding i is memory object i)");
        const Memory::Impl& memory = memObjects[binding.binding]->impl();
        if (buffer && memory.image)
            throw ShaderError(describe(binding) + " is declared as a buffer, but was given " +
                              describe(memory));
        if (image && !memory.image)
            throw ShaderError(describe(binding) + " is declared as an image, but was given " +
                              describe(memory));
        if (buffer)
            checkTensor(binding, memory, device);
        else
            checkImage(binding, memory);
    }
}

void checkSpecialization(const shader::Reflection& reflection,
                         const Specialization& specialization) {
    for (const shader::SpecConstant& constant : reflection.specConstants) {
        const VkSpecializationMapEntry* given = specialization.find(constant.id);
        if (!given)
            continue;
        const uint32_t declared = shader::sizeOf(constant.type);
        if (declared != 0 && declared != given->size)
            throw ShaderError("specialization constant " + std::to_string(constant.id) +
                              (constant.name.empty() ? "" : " '" + constant.name + "'") +
                              " is declared as " + shader::nameOf(constant.type) + " (" +
                              std::to_string(declared) + " bytes), but values of " +
                              std::to_string(given->size) + " bytes were given");
    }
}

void checkPushConstantLimit(const shader::Reflection& reflection, const vulkan::Device& device,
                            size_t bytes) {
    const uint32_t limit = device.physical().properties.limits.maxPushConstantsSize;
    if (bytes > limit || reflection.pushConstantSize > limit)
        throw InvalidArgument(std::to_string(std::max<size_t>(bytes, reflection.pushConstantSize)) +
                              " bytes of push constants are over " + device.name() +
                              "'s maxPushConstantsSize of " + std::to_string(limit));
    if (bytes % 4 != 0)
        throw InvalidArgument("push constants must be a multiple of 4 bytes, not " +
                              std::to_string(bytes));
}

void checkPushConstants(const shader::Reflection& reflection, size_t bytes) {
    // Unused push constants do no harm, and programs for the original pass them.
    if (reflection.pushConstantSize == 0)
        return;
    // A C++ struct may end in padding that the shader's block does not count.
    const size_t padded = (reflection.pushConstantSize + size_t{15}) / 16 * 16;
    if (bytes < reflection.pushConstantSize || bytes > padded)
        throw InvalidArgument("the shader declares " + std::to_string(reflection.pushConstantSize) +
                              " bytes of push constants, but " + std::to_string(bytes) +
                              " were given");
}

void refuseWorkgroup(const Workgroup& workgroup, const vulkan::Device& device) {
    const auto& limits = device.physical().properties.limits.maxComputeWorkGroupCount;
    for (size_t i = 0; i < 3; ++i)
        if (workgroup[i] > limits[i])
            throw InvalidArgument(
                "a dispatch of " + std::to_string(workgroup[0]) + " x " +
                std::to_string(workgroup[1]) + " x " + std::to_string(workgroup[2]) +
                " work groups is over " + device.name() + "'s maxComputeWorkGroupCount of " +
                std::to_string(limits[i]) + " in dimension " + "xyz"[i] +
                "; let each work group do more (a larger local size and setThreadCount), or spread "
                "the groups over y and z");
}

} // namespace kp
