// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kompute/Memory.hpp>

#include "vulkan/device/Vulkan.hpp"

namespace kp {

struct SpecializationConstant;

/// The bytes of specialization constants and the place of each.
struct Specialization {
    std::vector<unsigned char> data;
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<Memory::DataTypes> types; ///< of the entries; eCustom if unknown

    /// Returns constants 0, 1, ... of one size and type.
    static Specialization inOrder(const void* values, size_t count, size_t elementSize,
                                  Memory::DataTypes type);
    /// Returns constants with explicit ids.
    /// @throws InvalidArgument if an id was given twice or a size is not 1 to 8 bytes
    static Specialization byId(const SpecializationConstant* constants, size_t count);

    /// Returns null if the constant was not given.
    const VkSpecializationMapEntry* find(uint32_t id) const;
};

} // namespace kp
