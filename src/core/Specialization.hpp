// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vulkan/Vulkan.hpp"

namespace kp {

/// Specialization constants as bytes, with where each of them is.
struct Specialization {
    std::vector<unsigned char> data;
    std::vector<VkSpecializationMapEntry> entries;

    /// @return null where the constant was not given
    const VkSpecializationMapEntry* find(uint32_t id) const;
};

} // namespace kp
