// SPDX-License-Identifier: Apache-2.0
#include "launch/LaunchSizes.hpp"

#include "launch/KernelImpl.hpp"
#include "launch/LauncherChecks.hpp"

namespace kp::launch {
namespace {

constexpr char kAxes[] = "xyz";

} // namespace

WorkSize globalSizeOf(const std::string& launcher, const KernelOptions& defaults,
                      const LaunchOptions& call) {
    const std::optional<WorkSize>& size = call.globalSize ? call.globalSize : defaults.globalSize;
    if (!size)
        throwFor(launcher, "no global size was given with the call, and there is no default");
    if (size->x == 0 || size->y == 0 || size->z == 0)
        throwFor(launcher, "the global size {} x {} x {} has a 0", size->x, size->y, size->z);
    return *size;
}

Workgroup localSizeOf(const std::string& launcher, const Kernel& kernel,
                      const KernelOptions& defaults, const LaunchOptions& call) {
    const shader::Reflection& reflection = kernel.reflection();
    const std::shared_ptr<Algorithm>& algorithm = kernel.impl()->algorithm;
    const Workgroup own = algorithm ? algorithm->getLocalSize() : Workgroup(reflection.localSize);
    const std::optional<WorkSize>& size = call.localSize ? call.localSize : defaults.localSize;
    if (!size)
        return own;
    const vulkan::Device& device = *kernel.impl()->device;
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    const uint64_t given[3] = {size->x, size->y, size->z};
    Workgroup chosen{};
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; ++i) {
        if (given[i] == 0 || given[i] > limits.maxComputeWorkGroupSize[i])
            throwFor(launcher,
                     "the local size {} in {} is not between 1 and {}'s maxComputeWorkGroupSize "
                     "of {}",
                     given[i], kAxes[i], device.name(), limits.maxComputeWorkGroupSize[i]);
        chosen[i] = static_cast<uint32_t>(given[i]);
        invocations *= given[i];
        const bool selectable = reflection.localSizeId[i] && !algorithm;
        if (chosen[i] != own[i] && !selectable)
            throwFor(launcher,
                     "a local size of {} in {} was given, but the {} fixes it to {}; declare "
                     "local_size_{}_id in the shader and make the kernel of SPIR-V or GLSL",
                     chosen[i], kAxes[i], algorithm ? "algorithm" : "shader", own[i], kAxes[i]);
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        throwFor(launcher,
                 "a local size of {} work items is over {}'s maxComputeWorkGroupInvocations of {}",
                 invocations, device.name(), limits.maxComputeWorkGroupInvocations);
    return chosen;
}

Workgroup groupCountsOf(const std::string& launcher, const Kernel& kernel,
                        const WorkSize& globalSize, const Workgroup& localSize, bool roundUp) {
    const vulkan::Device& device = *kernel.impl()->device;
    const auto& limits = device.physical().properties.limits.maxComputeWorkGroupCount;
    const uint64_t global[3] = {globalSize.x, globalSize.y, globalSize.z};
    Workgroup groups{};
    for (size_t i = 0; i < 3; ++i) {
        if (global[i] % localSize[i] != 0 && !roundUp)
            throwFor(launcher,
                     "the global size {} in {} is no multiple of the local size {}; choose another "
                     "one, or roundUp (the shader then checks its bounds)",
                     global[i], kAxes[i], localSize[i]);
        const uint64_t count = (global[i] - 1) / localSize[i] + 1;
        if (count > limits[i])
            throwFor(launcher, "{} work groups in {} are over {}'s maxComputeWorkGroupCount of {}",
                     count, kAxes[i], device.name(), limits[i]);
        groups[i] = static_cast<uint32_t>(count);
    }
    return groups;
}

} // namespace kp::launch
