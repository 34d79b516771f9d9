// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vulkan/features/CooperativeHeaders.hpp"

namespace kp::vulkan {

// clang-format off
/// Every device feature that the library knows: name, struct (after VkPhysicalDevice), its type
/// (after VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_), member, the extension that adds it ("" = none), and
/// the Vulkan version that made it core (0 = none).
#define KOMPUTE_FEATURES(X) \
    X(eShaderFloat64, Features, FEATURES_2, shaderFloat64, "", VK_API_VERSION_1_0) \
    X(eShaderInt64, Features, FEATURES_2, shaderInt64, "", VK_API_VERSION_1_0) \
    X(eShaderInt16, Features, FEATURES_2, shaderInt16, "", VK_API_VERSION_1_0) \
    X(eShaderStorageImageExtendedFormats, Features, FEATURES_2, shaderStorageImageExtendedFormats, "", VK_API_VERSION_1_0) \
    X(eShaderStorageImageReadWithoutFormat, Features, FEATURES_2, shaderStorageImageReadWithoutFormat, "", VK_API_VERSION_1_0) \
    X(eShaderStorageImageWriteWithoutFormat, Features, FEATURES_2, shaderStorageImageWriteWithoutFormat, "", VK_API_VERSION_1_0) \
    X(eShaderImageGatherExtended, Features, FEATURES_2, shaderImageGatherExtended, "", VK_API_VERSION_1_0) \
    X(eShaderSampledImageArrayDynamicIndexing, Features, FEATURES_2, shaderSampledImageArrayDynamicIndexing, "", VK_API_VERSION_1_0) \
    X(eShaderStorageBufferArrayDynamicIndexing, Features, FEATURES_2, shaderStorageBufferArrayDynamicIndexing, "", VK_API_VERSION_1_0) \
    X(eShaderStorageImageArrayDynamicIndexing, Features, FEATURES_2, shaderStorageImageArrayDynamicIndexing, "", VK_API_VERSION_1_0) \
    X(eShaderUniformBufferArrayDynamicIndexing, Features, FEATURES_2, shaderUniformBufferArrayDynamicIndexing, "", VK_API_VERSION_1_0) \
    X(eStorageBuffer16BitAccess, 16BitStorageFeatures, 16BIT_STORAGE_FEATURES, storageBuffer16BitAccess, "", VK_API_VERSION_1_1) \
    X(eUniformAndStorageBuffer16BitAccess, 16BitStorageFeatures, 16BIT_STORAGE_FEATURES, uniformAndStorageBuffer16BitAccess, "", VK_API_VERSION_1_1) \
    X(eStoragePushConstant16, 16BitStorageFeatures, 16BIT_STORAGE_FEATURES, storagePushConstant16, "", VK_API_VERSION_1_1) \
    X(eVariablePointersStorageBuffer, VariablePointersFeatures, VARIABLE_POINTERS_FEATURES, variablePointersStorageBuffer, "", VK_API_VERSION_1_1) \
    X(eVariablePointers, VariablePointersFeatures, VARIABLE_POINTERS_FEATURES, variablePointers, "", VK_API_VERSION_1_1) \
    X(eStorageBuffer8BitAccess, 8BitStorageFeatures, 8BIT_STORAGE_FEATURES, storageBuffer8BitAccess, "VK_KHR_8bit_storage", VK_API_VERSION_1_2) \
    X(eUniformAndStorageBuffer8BitAccess, 8BitStorageFeatures, 8BIT_STORAGE_FEATURES, uniformAndStorageBuffer8BitAccess, "VK_KHR_8bit_storage", VK_API_VERSION_1_2) \
    X(eStoragePushConstant8, 8BitStorageFeatures, 8BIT_STORAGE_FEATURES, storagePushConstant8, "VK_KHR_8bit_storage", VK_API_VERSION_1_2) \
    X(eShaderFloat16, ShaderFloat16Int8Features, SHADER_FLOAT16_INT8_FEATURES, shaderFloat16, "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2) \
    X(eShaderInt8, ShaderFloat16Int8Features, SHADER_FLOAT16_INT8_FEATURES, shaderInt8, "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2) \
    X(eShaderBufferInt64Atomics, ShaderAtomicInt64Features, SHADER_ATOMIC_INT64_FEATURES, shaderBufferInt64Atomics, "VK_KHR_shader_atomic_int64", VK_API_VERSION_1_2) \
    X(eShaderSharedInt64Atomics, ShaderAtomicInt64Features, SHADER_ATOMIC_INT64_FEATURES, shaderSharedInt64Atomics, "VK_KHR_shader_atomic_int64", VK_API_VERSION_1_2) \
    X(eShaderSampledImageArrayNonUniformIndexing, DescriptorIndexingFeatures, DESCRIPTOR_INDEXING_FEATURES, shaderSampledImageArrayNonUniformIndexing, "VK_EXT_descriptor_indexing", VK_API_VERSION_1_2) \
    X(eShaderStorageBufferArrayNonUniformIndexing, DescriptorIndexingFeatures, DESCRIPTOR_INDEXING_FEATURES, shaderStorageBufferArrayNonUniformIndexing, "VK_EXT_descriptor_indexing", VK_API_VERSION_1_2) \
    X(eShaderStorageImageArrayNonUniformIndexing, DescriptorIndexingFeatures, DESCRIPTOR_INDEXING_FEATURES, shaderStorageImageArrayNonUniformIndexing, "VK_EXT_descriptor_indexing", VK_API_VERSION_1_2) \
    X(eShaderUniformBufferArrayNonUniformIndexing, DescriptorIndexingFeatures, DESCRIPTOR_INDEXING_FEATURES, shaderUniformBufferArrayNonUniformIndexing, "VK_EXT_descriptor_indexing", VK_API_VERSION_1_2) \
    X(eScalarBlockLayout, ScalarBlockLayoutFeatures, SCALAR_BLOCK_LAYOUT_FEATURES, scalarBlockLayout, "VK_EXT_scalar_block_layout", VK_API_VERSION_1_2) \
    X(eVulkanMemoryModel, VulkanMemoryModelFeatures, VULKAN_MEMORY_MODEL_FEATURES, vulkanMemoryModel, "VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2) \
    X(eVulkanMemoryModelDeviceScope, VulkanMemoryModelFeatures, VULKAN_MEMORY_MODEL_FEATURES, vulkanMemoryModelDeviceScope, "VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2) \
    X(eBufferDeviceAddress, BufferDeviceAddressFeatures, BUFFER_DEVICE_ADDRESS_FEATURES, bufferDeviceAddress, "VK_KHR_buffer_device_address", VK_API_VERSION_1_2) \
    X(eTimelineSemaphore, TimelineSemaphoreFeatures, TIMELINE_SEMAPHORE_FEATURES, timelineSemaphore, "VK_KHR_timeline_semaphore", VK_API_VERSION_1_2) \
    X(eHostQueryReset, HostQueryResetFeatures, HOST_QUERY_RESET_FEATURES, hostQueryReset, "VK_EXT_host_query_reset", VK_API_VERSION_1_2) \
    X(eShaderSubgroupExtendedTypes, ShaderSubgroupExtendedTypesFeatures, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, shaderSubgroupExtendedTypes, "VK_KHR_shader_subgroup_extended_types", VK_API_VERSION_1_2) \
    X(eSynchronization2, Synchronization2Features, SYNCHRONIZATION_2_FEATURES, synchronization2, "VK_KHR_synchronization2", VK_API_VERSION_1_3) \
    X(eSubgroupSizeControl, SubgroupSizeControlFeatures, SUBGROUP_SIZE_CONTROL_FEATURES, subgroupSizeControl, "VK_EXT_subgroup_size_control", VK_API_VERSION_1_3) \
    X(eComputeFullSubgroups, SubgroupSizeControlFeatures, SUBGROUP_SIZE_CONTROL_FEATURES, computeFullSubgroups, "VK_EXT_subgroup_size_control", VK_API_VERSION_1_3) \
    X(eShaderIntegerDotProduct, ShaderIntegerDotProductFeatures, SHADER_INTEGER_DOT_PRODUCT_FEATURES, shaderIntegerDotProduct, "VK_KHR_shader_integer_dot_product", VK_API_VERSION_1_3) \
    X(eShaderZeroInitializeWorkgroupMemory, ZeroInitializeWorkgroupMemoryFeatures, ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, shaderZeroInitializeWorkgroupMemory, "VK_KHR_zero_initialize_workgroup_memory", VK_API_VERSION_1_3) \
    X(eMaintenance4, Maintenance4Features, MAINTENANCE_4_FEATURES, maintenance4, "VK_KHR_maintenance4", VK_API_VERSION_1_3) \
    X(eShaderBufferFloat32Atomics, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderBufferFloat32Atomics, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderBufferFloat32AtomicAdd, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderBufferFloat32AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderBufferFloat64Atomics, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderBufferFloat64Atomics, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderBufferFloat64AtomicAdd, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderBufferFloat64AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSharedFloat32Atomics, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderSharedFloat32Atomics, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSharedFloat32AtomicAdd, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderSharedFloat32AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSharedFloat64Atomics, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderSharedFloat64Atomics, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSharedFloat64AtomicAdd, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderSharedFloat64AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderImageFloat32Atomics, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderImageFloat32Atomics, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderImageFloat32AtomicAdd, ShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT, shaderImageFloat32AtomicAdd, "VK_EXT_shader_atomic_float", 0) \
    X(eShaderSubgroupClock, ShaderClockFeaturesKHR, SHADER_CLOCK_FEATURES_KHR, shaderSubgroupClock, "VK_KHR_shader_clock", 0) \
    X(eShaderDeviceClock, ShaderClockFeaturesKHR, SHADER_CLOCK_FEATURES_KHR, shaderDeviceClock, "VK_KHR_shader_clock", 0) \
    X(eWorkgroupMemoryExplicitLayout, WorkgroupMemoryExplicitLayoutFeaturesKHR, WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, workgroupMemoryExplicitLayout, "VK_KHR_workgroup_memory_explicit_layout", 0) \
    X(eWorkgroupMemoryExplicitLayoutScalarBlockLayout, WorkgroupMemoryExplicitLayoutFeaturesKHR, WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, workgroupMemoryExplicitLayoutScalarBlockLayout, "VK_KHR_workgroup_memory_explicit_layout", 0) \
    X(eShaderSubgroupUniformControlFlow, ShaderSubgroupUniformControlFlowFeaturesKHR, SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, shaderSubgroupUniformControlFlow, "VK_KHR_shader_subgroup_uniform_control_flow", 0) \
    X(ePipelineRobustness, PipelineRobustnessFeaturesEXT, PIPELINE_ROBUSTNESS_FEATURES_EXT, pipelineRobustness, "VK_EXT_pipeline_robustness", 0) \
    X(eRobustBufferAccess2, Robustness2FeaturesEXT, ROBUSTNESS_2_FEATURES_EXT, robustBufferAccess2, "VK_EXT_robustness2", 0) \
    X(eRobustImageAccess2, Robustness2FeaturesEXT, ROBUSTNESS_2_FEATURES_EXT, robustImageAccess2, "VK_EXT_robustness2", 0) \
    X(eDeviceFault, FaultFeaturesEXT, FAULT_FEATURES_EXT, deviceFault, "VK_EXT_device_fault", 0) \
    X(eCooperativeMatrix, CooperativeMatrixFeaturesKHR, COOPERATIVE_MATRIX_FEATURES_KHR, cooperativeMatrix, "VK_KHR_cooperative_matrix", 0) \
    X(eCooperativeMatrixWorkgroupScope, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixWorkgroupScope, "VK_NV_cooperative_matrix2", 0) \
    X(eCooperativeMatrixFlexibleDimensions, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixFlexibleDimensions, "VK_NV_cooperative_matrix2", 0) \
    X(eCooperativeMatrixReductions, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixReductions, "VK_NV_cooperative_matrix2", 0) \
    X(eCooperativeMatrixConversions, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixConversions, "VK_NV_cooperative_matrix2", 0) \
    X(eCooperativeMatrixPerElementOperations, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixPerElementOperations, "VK_NV_cooperative_matrix2", 0) \
    X(eCooperativeMatrixTensorAddressing, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixTensorAddressing, "VK_NV_cooperative_matrix2", 0) \
    X(eCooperativeMatrixBlockLoads, CooperativeMatrix2FeaturesNV, COOPERATIVE_MATRIX_2_FEATURES_NV, cooperativeMatrixBlockLoads, "VK_NV_cooperative_matrix2", 0) \
    X(eShaderBFloat16Type, ShaderBfloat16FeaturesKHR, SHADER_BFLOAT16_FEATURES_KHR, shaderBFloat16Type, "VK_KHR_shader_bfloat16", 0) \
    X(eShaderBFloat16CooperativeMatrix, ShaderBfloat16FeaturesKHR, SHADER_BFLOAT16_FEATURES_KHR, shaderBFloat16CooperativeMatrix, "VK_KHR_shader_bfloat16", 0)
// clang-format on

enum class Feature {
#define KOMPUTE_ENUMERATOR(name, ...) name,
    KOMPUTE_FEATURES(KOMPUTE_ENUMERATOR)
#undef KOMPUTE_ENUMERATOR
        eCount
};

using FeatureSet = std::bitset<static_cast<size_t>(Feature::eCount)>;

inline bool has(const FeatureSet& set, Feature feature) {
    return set.test(static_cast<size_t>(feature));
}
inline void enable(FeatureSet& set, Feature feature, bool on = true) {
    set.set(static_cast<size_t>(feature), on);
}

/// Returns Vulkan's name: "shaderFloat64".
const char* nameOf(Feature feature);
/// Returns the feature of Vulkan's name; empty if the library does not know it.
std::optional<Feature> featureNamed(std::string_view name);
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
    /// Removes the structs of the library in which nothing is enabled, but not the first. Layers
    /// such as RenderDoc's refuse some, even if they enable nothing.
    void removeEmpty();

private:
    struct Structs;
    std::unique_ptr<Structs> mStructs;
};

} // namespace kp::vulkan
