// SPDX-License-Identifier: Apache-2.0
#include "launch/TuningDevice.hpp"

#include <kompute/Error.hpp>

namespace kp::launch {

std::shared_ptr<vulkan::Device> deviceOf(const Manager& manager) {
    auto device = manager.isInit() ? vulkan::Device::find(manager.nativeDevice()) : nullptr;
    if (!device)
        throw InvalidArgument("the autotuner's manager was destroyed");
    return device;
}

TuningLimits limitsOf(const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& from = device.physical().properties.limits;
    TuningLimits limits;
    limits.maxInvocations = from.maxComputeWorkGroupInvocations;
    for (size_t i = 0; i < 3; ++i) {
        limits.maxSize[i] = from.maxComputeWorkGroupSize[i];
        limits.maxCount[i] = from.maxComputeWorkGroupCount[i];
    }
    limits.maxSharedBytes = from.maxComputeSharedMemorySize;
    limits.subgroupSize = device.physical().subgroupSize;
    limits.isCpu = device.physical().isCpu();
    return limits;
}

} // namespace kp::launch
