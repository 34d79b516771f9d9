// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

// clang-format off
/// Every device feature that the library knows: name, struct, member, the extension that adds it
/// ("" = none), and the Vulkan version that made it core (0 = none).
#define KOMPUTE_FEATURES(X)                                                                                                                    \
    X(eShaderFloat64, VkPhysicalDeviceFeatures, shaderFloat64, "", VK_API_VERSION_1_0)                                                         \
    X(eShaderInt64, VkPhysicalDeviceFeatures, shaderInt64, "", VK_API_VERSION_1_0)                                                             \
    X(eShaderInt16, VkPhysicalDeviceFeatures, shaderInt16, "", VK_API_VERSION_1_0)                                                             \
    X(eShaderStorageImageExtendedFormats, VkPhysicalDeviceFeatures, shaderStorageImageExtendedFormats, "", VK_API_VERSION_1_0)                 \
    X(eShaderStorageImageReadWithoutFormat, VkPhysicalDeviceFeatures, shaderStorageImageReadWithoutFormat, "", VK_API_VERSION_1_0)             \
    X(eShaderStorageImageWriteWithoutFormat, VkPhysicalDeviceFeatures, shaderStorageImageWriteWithoutFormat, "", VK_API_VERSION_1_0)           \
    X(eShaderStorageBufferArrayDynamicIndexing, VkPhysicalDeviceFeatures, shaderStorageBufferArrayDynamicIndexing, "", VK_API_VERSION_1_0)     \
    X(eShaderStorageImageArrayDynamicIndexing, VkPhysicalDeviceFeatures, shaderStorageImageArrayDynamicIndexing, "", VK_API_VERSION_1_0)       \
    X(eShaderUniformBufferArrayDynamicIndexing, VkPhysicalDeviceFeatures, shaderUniformBufferArrayDynamicIndexing, "", VK_API_VERSION_1_0)     \
    X(eStorageBuffer16BitAccess, VkPhysicalDevice16BitStorageFeatures, storageBuffer16BitAccess, "", VK_API_VERSION_1_1)                       \
    X(eUniformAndStorageBuffer16BitAccess, VkPhysicalDevice16BitStorageFeatures, uniformAndStorageBuffer16BitAccess, "", VK_API_VERSION_1_1)   \
    X(eStoragePushConstant16, VkPhysicalDevice16BitStorageFeatures, storagePushConstant16, "", VK_API_VERSION_1_1)                             \
    X(eVariablePointersStorageBuffer, VkPhysicalDeviceVariablePointersFeatures, variablePointersStorageBuffer, "", VK_API_VERSION_1_1)         \
    X(eVariablePointers, VkPhysicalDeviceVariablePointersFeatures, variablePointers, "", VK_API_VERSION_1_1)                                   \
    X(eStorageBuffer8BitAccess, VkPhysicalDevice8BitStorageFeatures, storageBuffer8BitAccess, "VK_KHR_8bit_storage", VK_API_VERSION_1_2)       \
    X(eUniformAndStorageBuffer8BitAccess, VkPhysicalDevice8BitStorageFeatures, uniformAndStorageBuffer8BitAccess, "VK_KHR_8bit_storage", VK_API_VERSION_1_2) \
    X(eStoragePushConstant8, VkPhysicalDevice8BitStorageFeatures, storagePushConstant8, "VK_KHR_8bit_storage", VK_API_VERSION_1_2)             \
    X(eShaderFloat16, VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16, "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2)              \
    X(eShaderInt8, VkPhysicalDeviceShaderFloat16Int8Features, shaderInt8, "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2)                    \
    X(eShaderBufferInt64Atomics, VkPhysicalDeviceShaderAtomicInt64Features, shaderBufferInt64Atomics, "VK_KHR_shader_atomic_int64", VK_API_VERSION_1_2) \
    X(eShaderSharedInt64Atomics, VkPhysicalDeviceShaderAtomicInt64Features, shaderSharedInt64Atomics, "VK_KHR_shader_atomic_int64", VK_API_VERSION_1_2) \
    X(eScalarBlockLayout, VkPhysicalDeviceScalarBlockLayoutFeatures, scalarBlockLayout, "VK_EXT_scalar_block_layout", VK_API_VERSION_1_2)      \
    X(eVulkanMemoryModel, VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModel, "VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2)      \
    X(eVulkanMemoryModelDeviceScope, VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModelDeviceScope, "VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2) \
    X(eBufferDeviceAddress, VkPhysicalDeviceBufferDeviceAddressFeatures, bufferDeviceAddress, "VK_KHR_buffer_device_address", VK_API_VERSION_1_2) \
    X(eTimelineSemaphore, VkPhysicalDeviceTimelineSemaphoreFeatures, timelineSemaphore, "VK_KHR_timeline_semaphore", VK_API_VERSION_1_2)       \
    X(eHostQueryReset, VkPhysicalDeviceHostQueryResetFeatures, hostQueryReset, "VK_EXT_host_query_reset", VK_API_VERSION_1_2)                  \
    X(eShaderSubgroupExtendedTypes, VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures, shaderSubgroupExtendedTypes, "VK_KHR_shader_subgroup_extended_types", VK_API_VERSION_1_2) \
    X(eSynchronization2, VkPhysicalDeviceSynchronization2Features, synchronization2, "VK_KHR_synchronization2", VK_API_VERSION_1_3)            \
    X(eSubgroupSizeControl, VkPhysicalDeviceSubgroupSizeControlFeatures, subgroupSizeControl, "VK_EXT_subgroup_size_control", VK_API_VERSION_1_3) \
    X(eComputeFullSubgroups, VkPhysicalDeviceSubgroupSizeControlFeatures, computeFullSubgroups, "VK_EXT_subgroup_size_control", VK_API_VERSION_1_3) \
    X(eShaderIntegerDotProduct, VkPhysicalDeviceShaderIntegerDotProductFeatures, shaderIntegerDotProduct, "VK_KHR_shader_integer_dot_product", VK_API_VERSION_1_3) \
    X(eShaderZeroInitializeWorkgroupMemory, VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures, shaderZeroInitializeWorkgroupMemory, "VK_KHR_zero_initialize_workgroup_memory", VK_API_VERSION_1_3) \
    X(eMaintenance4, VkPhysicalDeviceMaintenance4Features, maintenance4, "VK_KHR_maintenance4", VK_API_VERSION_1_3)                            \
    X(eShaderBufferFloat32Atomics, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32Atomics, "VK_EXT_shader_atomic_float", 0)  \
    X(eShaderBufferFloat32AtomicAdd, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderBufferFloat64Atomics, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat64Atomics, "VK_EXT_shader_atomic_float", 0)  \
    X(eShaderBufferFloat64AtomicAdd, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat64AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSharedFloat32Atomics, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat32Atomics, "VK_EXT_shader_atomic_float", 0)  \
    X(eShaderSharedFloat32AtomicAdd, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat32AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSharedFloat64Atomics, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat64Atomics, "VK_EXT_shader_atomic_float", 0)  \
    X(eShaderSharedFloat64AtomicAdd, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderSharedFloat64AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderImageFloat32Atomics, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderImageFloat32Atomics, "VK_EXT_shader_atomic_float", 0)    \
    X(eShaderImageFloat32AtomicAdd, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderImageFloat32AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSubgroupClock, VkPhysicalDeviceShaderClockFeaturesKHR, shaderSubgroupClock, "VK_KHR_shader_clock", 0)                             \
    X(eShaderDeviceClock, VkPhysicalDeviceShaderClockFeaturesKHR, shaderDeviceClock, "VK_KHR_shader_clock", 0)                                 \
    X(eWorkgroupMemoryExplicitLayout, VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayout, "VK_KHR_workgroup_memory_explicit_layout", 0) \
    X(eWorkgroupMemoryExplicitLayoutScalarBlockLayout, VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayoutScalarBlockLayout, "VK_KHR_workgroup_memory_explicit_layout", 0) \
    X(eShaderSubgroupUniformControlFlow, VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR, shaderSubgroupUniformControlFlow, "VK_KHR_shader_subgroup_uniform_control_flow", 0) \
    X(eDeviceFault, VkPhysicalDeviceFaultFeaturesEXT, deviceFault, "VK_EXT_device_fault", 0)                                                   \
    KOMPUTE_FEATURES_COOPERATIVE_MATRIX(X)
// clang-format on

#ifdef VK_KHR_cooperative_matrix
#define KOMPUTE_FEATURES_COOPERATIVE_MATRIX(X)                                                     \
    X(eCooperativeMatrix, VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix,         \
      "VK_KHR_cooperative_matrix", 0)
#else
#define KOMPUTE_FEATURES_COOPERATIVE_MATRIX(X)
#endif

enum class Feature {
#define KOMPUTE_ENUMERATOR(name, type, member, extension, core) name,
    KOMPUTE_FEATURES(KOMPUTE_ENUMERATOR)
#undef KOMPUTE_ENUMERATOR
        eCount
};

/// A set of features; pure data.
using FeatureSet = std::bitset<static_cast<size_t>(Feature::eCount)>;

inline bool has(const FeatureSet& set, Feature feature) {
    return set.test(static_cast<size_t>(feature));
}
inline void enable(FeatureSet& set, Feature feature, bool on = true) {
    set.set(static_cast<size_t>(feature), on);
}

/// Returns Vulkan's name: "shaderFloat64".
const char* nameOf(Feature feature);
/// Returns the extension that adds it below its core version; "" if it needs none.
const char* extensionOf(Feature feature);
/// Returns true if a device of @p apiVersion with @p extensions has the feature's struct.
bool known(Feature feature, uint32_t apiVersion, const std::vector<std::string>& extensions);

/// Returns the features that a pNext chain enables. VkPhysicalDeviceFeatures2 and
/// VkPhysicalDeviceVulkan11Features to 13 may be in it; other structs are skipped.
/// @param chain  may be null
FeatureSet readFeatures(const void* chain);

/// Vulkan's feature structs in one pNext chain that starts with VkPhysicalDeviceFeatures2. Neither
/// copied nor moved, since the chain points into the object.
class FeatureChain {
public:
    /// Links the structs that a device of @p apiVersion with @p extensions knows.
    FeatureChain(uint32_t apiVersion, const std::vector<std::string>& extensions);
    FeatureChain(const FeatureChain&) = delete;
    FeatureChain& operator=(const FeatureChain&) = delete;
    ~FeatureChain();

    VkPhysicalDeviceFeatures2* head();
    /// Returns the value for VkDeviceCreateInfo::pNext.
    const void* link() const;
    /// Appends a caller's chain, once, after write(). The caller's memory is never written.
    /// A struct that the chain already has is merged into it by OR.
    /// VkPhysicalDeviceVulkan11Features to 13 are copied; they replace the single structs and keep
    /// their features. From the first struct of an unknown type on, the caller's chain is linked
    /// unchanged.
    void append(const void* callerChain);
    FeatureSet read() const;
    /// Enables exactly @p features, as far as the chain has their structs.
    void write(const FeatureSet& features);

private:
    struct Structs;
    std::unique_ptr<Structs> mStructs;
};

} // namespace kp::vulkan
