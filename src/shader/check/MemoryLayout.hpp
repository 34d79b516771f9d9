// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shader/check/AccessPath.hpp"

namespace kp::shader {

/// A multiple of an index.
struct ScaledIndex {
    uint32_t index = 0; ///< id
    /// Numbers and ids of constants whose product is the factor.
    uint32_t factor = 1;
    std::vector<uint32_t> extents;
};

/// The numbers that an access touches, counted in elements: a buffer's are as large as its smallest
/// number; numbers of other memory are one after the other.
struct AccessedNumbers {
    uint32_t first = 0; ///< without the indices
    std::vector<ScaledIndex> indices;
    std::vector<uint32_t> offsets; ///< of each number, from the first
    std::vector<uint32_t> bytes;   ///< of each number
    /// Of each number, the indices that lead to it in the value that is read or written.
    std::vector<std::vector<uint32_t>> parts;
};

/// Returns the size of the smallest number of a block in bytes; nothing if it has other members.
std::optional<uint32_t> smallestNumber(const CheckContext& context, uint32_t type);

/// Returns how many numbers a type has; nothing if that is not known, or it has others.
std::optional<uint32_t> numberCount(const CheckContext& context, uint32_t type);

/// Returns the numbers of an access; nothing if they are too many, or no numbers.
/// @param elementBytes  of a buffer; 0 for memory without a layout
std::optional<AccessedNumbers> numbersOf(CheckContext& context, const AccessPath& path,
                                         uint32_t elementBytes);

} // namespace kp::shader
