// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

// Limits on a module for SPIRV-Tools, SPIRV-Cross and drivers. They expand types, constants and
// calls as trees, so that a module of a kilobyte could keep them busy forever. Each limit is far
// above what compilers write: the largest module of the library has 40,000 words.

/// Of a module: 64 MiB.
constexpr size_t kMaxModuleWords = size_t{16} << 20;
/// The universal limit of SPIR-V on ids. Tools make tables of this size.
constexpr uint32_t kMaxSpirvIds = 0x3fffff;
/// Members of members of a type. SPIRV-Tools takes some 4 us for each.
constexpr size_t kMaxTypeMembers = 65'536;
/// Types or constants inside each other: tools recurse once per level. SPIR-V allows 255 levels of
/// structs.
constexpr size_t kMaxSpirvNesting = 1000;
/// Constants that a constant is made of, counting each as often as it is used. Enough for a table
/// of a million elements.
constexpr size_t kMaxConstantParts = size_t{1} << 20;
/// Instructions of a function and its callees, counting each call.
constexpr size_t kMaxCalledInstructions = size_t{1} << 22;

/// Selections and loops inside each other: SPIRV-Tools takes a second for 250, and eight times as
/// long for twice as many. SPIR-V allows 1023.
constexpr size_t kMaxControlNesting = 300;

/// Checks the tools' demands for a module, which need not be valid.
/// @throws ShaderError if a limit is exceeded; names the id, the number and the limit
void requireModest(std::span<const uint32_t> spirv, const SpirvModule& module);

} // namespace kp::shader
