// SPDX-License-Identifier: Apache-2.0
#include "core/ShaderRequirements.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

using vulkan::Feature;

/// A SPIR-V capability and the device feature that must be enabled for it.
struct CapabilityFeature {
    const char* capability;
    Feature feature;
};

constexpr CapabilityFeature kCapabilityFeatures[] = {
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

/// A SPIR-V capability that any one of several features allows.
struct AnyCapabilityFeature {
    const char* capability;
    Feature features[3];
};

constexpr AnyCapabilityFeature kAnyCapabilityFeatures[] = {
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

} // namespace

void requireCapabilities(const shader::Reflection& reflection, const vulkan::Device& device) {
    const auto refuse = [&](const std::string& capability, Feature feature) {
        fail<ShaderError>(
            "the shader needs {}, but {} {} the feature {}", capability, device.name(),
            device.wrapped() ? "was not created with" : "does not have", vulkan::nameOf(feature));
    };
    for (const std::string& capability : reflection.capabilities) {
        for (const CapabilityFeature& entry : kCapabilityFeatures)
            if (capability == entry.capability && !device.has(entry.feature))
                refuse(capability, entry.feature);
        for (const AnyCapabilityFeature& entry : kAnyCapabilityFeatures)
            if (capability == entry.capability &&
                std::none_of(std::begin(entry.features), std::end(entry.features),
                             [&](Feature feature) { return device.has(feature); }))
                refuse(capability, entry.features[0]);
    }
}

void requireLocalSize(const Workgroup& localSize, const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; ++i) {
        invocations *= localSize[i];
        if (localSize[i] == 0 || localSize[i] > limits.maxComputeWorkGroupSize[i])
            fail<ShaderError>("the shader's local size of {} in dimension {} is not within 1 and "
                              "{}'s maxComputeWorkGroupSize of {}",
                              localSize[i], "xyz"[i], device.name(),
                              limits.maxComputeWorkGroupSize[i]);
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        fail<ShaderError>("the shader's {} invocations per work group are over {}'s "
                          "maxComputeWorkGroupInvocations of {}",
                          invocations, device.name(), limits.maxComputeWorkGroupInvocations);
}

} // namespace kp
