// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "shader/Hash.hpp"

namespace kp::shader {

/// Checks a SPIR-V module with SPIRV-Tools before anything else looks at it. Results for accepted
/// modules are remembered by content, so that a second call costs one hash. Thread-safe.
/// @param spirv          any words at all
/// @param vulkanVersion  the device's version, as VK_MAKE_VERSION(major, minor, 0)
/// @param scalarLayout   the device has the scalarBlockLayout feature switched on
/// @throws ShaderError for garbage, truncated modules, modules newer than the device's SPIR-V
///         version (names both versions), and modules without a compute entry point
void validate(std::span<const uint32_t> spirv, uint32_t vulkanVersion, bool scalarLayout = true);
/// The same where the hash of all of @p spirv is known already.
void validate(std::span<const uint32_t> spirv, const Hash& hash, uint32_t vulkanVersion,
              bool scalarLayout);

} // namespace kp::shader
