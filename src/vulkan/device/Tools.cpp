// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Tools.hpp"

#include <algorithm>
#include <vector>

#include "base/Environment.hpp"
#include "vulkan/device/Instance.hpp"

namespace kp::vulkan {
namespace {

std::vector<VkPhysicalDeviceToolPropertiesEXT> toolsOf(const Instance& instance,
                                                       const PhysicalDevice& device) {
    const bool core = device.apiVersion >= VK_API_VERSION_1_3;
    if (!core && !device.hasExtension(VK_EXT_TOOLING_INFO_EXTENSION_NAME))
        return {};
    const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceToolPropertiesEXT>(
        instance.table().vkGetInstanceProcAddr(instance.handle(),
                                               core ? "vkGetPhysicalDeviceToolProperties"
                                                    : "vkGetPhysicalDeviceToolPropertiesEXT"));
    if (!list)
        return {};
    uint32_t count = 0;
    if (list(device.handle, &count, nullptr) < 0)
        return {};
    std::vector<VkPhysicalDeviceToolPropertiesEXT> tools(
        count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT});
    if (list(device.handle, &count, tools.data()) < 0)
        return {};
    tools.resize(count);
    return tools;
}

} // namespace

bool toolShowsLabels(const Instance& instance, const PhysicalDevice& device) {
    if (instance.validation().any())
        return true;
    // Not all layers list themselves as tools.
    for (const char* const variable : {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"})
        if (!environment(variable).empty())
            return true;
    constexpr VkToolPurposeFlagsEXT kShow =
        VK_TOOL_PURPOSE_DEBUG_REPORTING_BIT_EXT | VK_TOOL_PURPOSE_DEBUG_MARKERS_BIT_EXT;
    return std::ranges::any_of(toolsOf(instance, device),
                               [](const auto& tool) { return (tool.purposes & kShow) != 0; });
}

} // namespace kp::vulkan
