// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vulkan/features/CooperativeHeaders.hpp"

namespace kp::vulkan {

struct InstanceTable;
struct PhysicalDevice;

/// Matrices that the invocations of a subgroup or of a work group multiply together: rows x inner
/// times inner x columns, of `type`, with sums of `sum`.
struct CooperativeShape {
    VkComponentTypeKHR type = VK_COMPONENT_TYPE_FLOAT16_KHR;
    VkComponentTypeKHR sum = VK_COMPONENT_TYPE_FLOAT32_KHR;
    uint32_t rows = 0;
    uint32_t columns = 0;
    uint32_t inner = 0;
    /// 0: exactly these extents, for a subgroup. Otherwise multiples of them, for work groups of
    /// this many invocations.
    uint32_t groupSize = 0;
    bool operator==(const CooperativeShape&) const = default;
};

/// The cooperative matrices of a device. Pure data.
struct CooperativeMatrices {
    std::vector<CooperativeShape> shapes;
    /// Of those for work groups: the largest extent, and the bytes of shared memory that they take.
    uint32_t maxDimension = 0;
    uint32_t reservedSharedBytes = 0;
};

/// Reads them. Without the extensions there are none.
/// @throws Error if an enumeration fails
CooperativeMatrices readCooperativeMatrices(const InstanceTable& table,
                                            const PhysicalDevice& device);

} // namespace kp::vulkan
