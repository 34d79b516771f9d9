// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/Hash.hpp"

namespace kp::shader {

/// Validates a SPIR-V module with SPIRV-Tools. Call it before anything else reads the module.
/// Accepted modules are cached by content, so that another call only compares words. Thread-safe.
/// @param spirv          arbitrary words
/// @param vulkanVersion  the device's version, as VK_MAKE_VERSION(major, minor, 0)
/// @param scalarLayout   true if the device's feature scalarBlockLayout is enabled
/// @throws ShaderError for invalid or truncated modules, modules newer than the device's SPIR-V
///         version (names both versions), and modules without a compute entry point
void validate(std::span<const uint32_t> spirv, uint32_t vulkanVersion, bool scalarLayout = true);
/// The same with the contentKey() of @p spirv.
void validate(std::span<const uint32_t> spirv, const Hash& contentKey, uint32_t vulkanVersion,
              bool scalarLayout);

} // namespace kp::shader
