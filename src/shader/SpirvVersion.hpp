// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kp::shader {

/// What a version of Vulkan takes.
struct SpirvRules {
    uint32_t vulkanMinor; ///< of the newest known version at most
    uint32_t maxSpirv;    ///< newest SPIR-V version that this Vulkan version accepts
    std::string vulkan;   ///< such as "1.3"
};

/// @param vulkanVersion  the device's version, as VK_MAKE_VERSION(major, minor, 0)
SpirvRules spirvRulesOf(uint32_t vulkanVersion);

/// Checks the first words of a module alone. Needs no SPIRV-Tools.
/// @throws ShaderError unless it is SPIR-V of a version that a device of @p vulkanVersion accepts
void requireSpirvVersion(std::span<const uint32_t> spirv, uint32_t vulkanVersion);

} // namespace kp::shader
