// SPDX-License-Identifier: Apache-2.0
#include "vulkan/features/CooperativeMatrices.hpp"

#include "vulkan/device/Instance.hpp"
#include "vulkan/device/PhysicalDevice.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

/// As enumerate(), for structs.
template <typename Struct, typename Function>
std::vector<Struct> enumerateStructs(const char* what, Function function, VkPhysicalDevice device,
                                     VkStructureType sType) {
    std::vector<Struct> items;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        uint32_t count = 0;
        check(function(device, &count, nullptr), what);
        Struct empty{};
        empty.sType = sType;
        items.assign(count, empty);
        result = function(device, &count, items.data());
        check(result, what);
        items.resize(count);
    }
    return items;
}

/// Adds a driver's properties, if A and B, and C and the result, have the same types.
template <typename Struct>
void addShape(std::vector<CooperativeShape>& shapes, const Struct& listed, uint32_t rows,
              uint32_t columns, uint32_t inner, uint32_t groupSize) {
    if (listed.AType == listed.BType && listed.CType == listed.ResultType &&
        listed.saturatingAccumulation == VK_FALSE)
        shapes.push_back({listed.AType, listed.CType, rows, columns, inner, groupSize});
}

} // namespace

CooperativeMatrices readCooperativeMatrices(const InstanceTable& table,
                                            const PhysicalDevice& device) {
    CooperativeMatrices matrices;
    if (device.has(Feature::eCooperativeMatrix) &&
        table.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)
        for (const auto& listed : enumerateStructs<VkCooperativeMatrixPropertiesKHR>(
                 "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
                 table.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, device.handle,
                 VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR))
            if (listed.scope == VK_SCOPE_SUBGROUP_KHR)
                addShape(matrices.shapes, listed, listed.MSize, listed.NSize, listed.KSize, 0);
    if (!device.has(Feature::eCooperativeMatrixWorkgroupScope) ||
        !device.has(Feature::eCooperativeMatrixFlexibleDimensions) ||
        !table.vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)
        return matrices;
    for (const auto& listed : enumerateStructs<VkCooperativeMatrixFlexibleDimensionsPropertiesNV>(
             "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV",
             table.vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV,
             device.handle, VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV))
        if (listed.scope == VK_SCOPE_WORKGROUP_KHR)
            addShape(matrices.shapes, listed, listed.MGranularity, listed.NGranularity,
                     listed.KGranularity, listed.workgroupInvocations);
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV limits{};
    limits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV;
    VkPhysicalDeviceProperties2 head{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    head.pNext = &limits;
    table.vkGetPhysicalDeviceProperties2(device.handle, &head);
    matrices.maxDimension = limits.cooperativeMatrixFlexibleDimensionsMaxDimension;
    matrices.reservedSharedBytes = limits.cooperativeMatrixWorkgroupScopeReservedSharedMemory;
    return matrices;
}

} // namespace kp::vulkan
