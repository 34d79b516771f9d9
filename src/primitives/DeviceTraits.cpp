// SPDX-License-Identifier: Apache-2.0
#include "primitives/DeviceTraits.hpp"

#include <algorithm>

#include "primitives/Plan.hpp"

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
    traits.subgroups = hasSubgroups(device);
    traits.minSubgroupSize = device.physical().minSubgroupSize;
    traits.maxSubgroupSize = device.physical().maxSubgroupSize;
    traits.memoryModel = device.has(vulkan::Feature::eVulkanMemoryModel) &&
                         device.has(vulkan::Feature::eVulkanMemoryModelDeviceScope);
    traits.isCpu = device.physical().isCpu();
    traits.isNvidia = device.physical().isNvidia();
    return traits;
}

} // namespace kp::primitives
