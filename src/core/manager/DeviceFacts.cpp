// SPDX-License-Identifier: Apache-2.0
#include <kompute/device/DeviceFacts.hpp>

#include <kompute/Error.hpp>

#include "core/manager/ManagerImpl.hpp"
#include "vulkan/profiles/ApplyProfile.hpp"
#include "vulkan/profiles/DeviceProfile.hpp"

namespace kp {

DeviceFacts deviceFacts(const Manager& manager) {
    const std::shared_ptr<vulkan::Device> device = implOf(manager).device;
    if (!device)
        throw InvalidArgument("this manager was destroyed; ask before that");
    const vulkan::PhysicalDevice& physical = device->physical();
    DeviceFacts facts;
    facts.profile = physical.profile;
    facts.vendorId = physical.properties.vendorID;
    facts.deviceId = physical.properties.deviceID;
    facts.driverVersion = physical.properties.driverVersion;
    facts.limits = vulkan::limitsOf(physical);
    facts.subgroupOperations = vulkan::subgroupOperationNames(physical.subgroupOperations);
    for (size_t i = 0; i < static_cast<size_t>(vulkan::Feature::eCount); ++i) {
        const auto feature = static_cast<vulkan::Feature>(i);
        (device->has(feature) ? facts.enabledFeatures : facts.missingFeatures)
            .emplace_back(vulkan::nameOf(feature));
    }
    facts.enabledExtensions = device->plan().extensions;
    for (uint32_t i = 0; i < physical.memory.memoryHeapCount; ++i)
        facts.heapBytes.push_back(physical.memory.memoryHeaps[i].size);
    for (uint32_t i = 0; i < physical.memory.memoryTypeCount; ++i) {
        const VkMemoryType& type = physical.memory.memoryTypes[i];
        facts.memoryTypes.push_back({type.heapIndex, vulkan::memoryFlagNames(type.propertyFlags)});
    }
    return facts;
}

} // namespace kp
