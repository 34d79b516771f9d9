// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/DeviceTraits.hpp"

#include <algorithm>

#include "primitives/plan/Plan.hpp"
#include "primitives/source/EmulatedSubgroups.hpp"

namespace kp::primitives {
namespace {

constexpr uint64_t kLargestViewBytes = uint64_t{1} << 31;

bool hasSubgroups(const vulkan::Device& device) {
    constexpr VkSubgroupFeatureFlags kNeeded =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    const vulkan::PhysicalDevice& physical = device.physical();
    return (physical.subgroupOperations & kNeeded) == kNeeded && physical.minSubgroupSize >= 4 &&
           physical.maxSubgroupSize <= 128 && device.has(vulkan::Feature::eComputeFullSubgroups);
}

vulkan::CooperativeMatrices usableMatrices(const vulkan::Device& device) {
    using vulkan::Feature;
    // Requirements of shaders/cooperative: SPIR-V 1.6 with LocalSizeId, and 16-bit types.
    for (const Feature needed :
         {Feature::eCooperativeMatrix, Feature::eVulkanMemoryModel, Feature::eMaintenance4,
          Feature::eStorageBuffer16BitAccess, Feature::eShaderFloat16})
        if (!device.has(needed))
            return {};
    if (device.physical().apiVersion < VK_API_VERSION_1_3)
        return {};
    const bool workgroups = device.has(Feature::eCooperativeMatrixWorkgroupScope) &&
                            device.has(Feature::eCooperativeMatrixFlexibleDimensions) &&
                            device.has(Feature::eCooperativeMatrixTensorAddressing);
    const bool bfloat16 = device.has(Feature::eShaderBFloat16Type) &&
                          device.has(Feature::eShaderBFloat16CooperativeMatrix);
    vulkan::CooperativeMatrices usable = device.physical().cooperative;
    std::erase_if(usable.shapes, [&](const vulkan::CooperativeShape& shape) {
        return (shape.groupSize != 0 && !workgroups) ||
               (shape.type == VK_COMPONENT_TYPE_BFLOAT16_KHR && !bfloat16);
    });
    return usable;
}

} // namespace

DeviceTraits DeviceTraits::of(const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    DeviceTraits traits;
    // A view starts at the multiple of the alignment before its first element.
    traits.maxViewBytes =
        std::min<uint64_t>(limits.maxStorageBufferRange, kLargestViewBytes) / kViewAlignment *
            kViewAlignment -
        std::max<uint64_t>(kViewAlignment, limits.minStorageBufferOffsetAlignment);
    traits.maxGroupSize =
        std::min(limits.maxComputeWorkGroupSize[0], limits.maxComputeWorkGroupInvocations);
    traits.maxGroupCount =
        *std::min_element(limits.maxComputeWorkGroupCount, limits.maxComputeWorkGroupCount + 3);
    traits.sharedBytes = limits.maxComputeSharedMemorySize;
    traits.maxPushBytes = limits.maxPushConstantsSize;
    traits.subgroups = hasSubgroups(device);
    traits.subgroupArithmetic = traits.subgroups && (device.physical().subgroupOperations &
                                                     VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
    traits.int64 = device.has(vulkan::Feature::eShaderInt64);
    traits.float64 = device.has(vulkan::Feature::eShaderFloat64);
    traits.subgroupInt64 = traits.subgroupArithmetic && traits.int64 &&
                           device.has(vulkan::Feature::eShaderSubgroupExtendedTypes);
    traits.minSubgroupSize = device.physical().minSubgroupSize;
    traits.maxSubgroupSize = device.physical().maxSubgroupSize;
    if (const uint32_t lanes = device.physical().emulatedSubgroupSize; lanes != 0) {
        traits.minSubgroupSize = traits.maxSubgroupSize = lanes;
        traits.subgroupArithmetic = traits.subgroupInt64 = false; // which only drivers do
        traits.sharedBytes -= std::min(traits.sharedBytes / 2, emulationBytes(traits.maxGroupSize));
    }
    traits.memoryModel = device.has(vulkan::Feature::eVulkanMemoryModel) &&
                         device.has(vulkan::Feature::eVulkanMemoryModelDeviceScope);
    traits.int16 = device.has(vulkan::Feature::eShaderInt16);
    traits.isCpu = device.physical().isCpu();
    if (device.physical().emulatedSubgroupSize == 0)
        traits.cooperative = usableMatrices(device);
    traits.isNvidia = device.physical().isNvidia();
    return traits;
}

} // namespace kp::primitives
