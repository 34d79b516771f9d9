// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <kompute/Memory.hpp>

#include "vulkan/device/Vulkan.hpp"

namespace kp {

namespace shader {
struct Reflection;
}

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
    /// Returns the bits of the values by id; of values above 8 bytes, the first ones.
    std::map<uint32_t, uint64_t> bits() const;
};

/// Returns the local size of a shader with these constants.
std::array<uint32_t, 3> localSizeOf(const shader::Reflection& reflection,
                                    const Specialization& specialization);

} // namespace kp
