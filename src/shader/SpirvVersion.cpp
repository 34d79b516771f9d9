// SPDX-License-Identifier: Apache-2.0
#include "shader/SpirvVersion.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"

namespace kp::shader {
namespace {

constexpr uint32_t kMagic = spv::MagicNumber;
constexpr uint32_t kSwappedMagic = 0x03022307;
constexpr uint32_t kMaxKnownMinor = 4;

} // namespace

SpirvRules spirvRulesOf(uint32_t vulkanVersion) {
    const uint32_t major = (vulkanVersion >> 22) & 0x7f;
    const uint32_t minor = (vulkanVersion >> 12) & 0x3ff;
    if (major == 0)
        return spirvRulesOf((1u << 22) | (1u << 12));
    const uint32_t known = major > 1 ? kMaxKnownMinor : std::min(minor, kMaxKnownMinor);
    constexpr uint32_t kMaxSpirv[] = {0x00010000, 0x00010300, 0x00010500, 0x00010600, 0x00010600};
    return {known, kMaxSpirv[known], formatted("{}.{}", major, minor)};
}

void requireSpirvVersion(std::span<const uint32_t> spirv, uint32_t vulkanVersion) {
    const SpirvRules rules = spirvRulesOf(vulkanVersion);
    if (spirv.empty())
        fail<ShaderError>("the SPIR-V is empty: 0 words were given");
    if (spirv[0] == kSwappedMagic) {
        fail<ShaderError>("the SPIR-V has the byte order of another machine: its first word is "
                          "{:#010x}, expected {:#010x}",
                          spirv[0], kMagic);
    }
    if (spirv[0] != kMagic) {
        fail<ShaderError>("this is not SPIR-V: its first word is {:#010x}, expected {:#010x}. "
                          "Compile shader text with kp::compile first",
                          spirv[0], kMagic);
    }
    requireSpirvHeader(spirv);
    if (spirv[1] > rules.maxSpirv) {
        fail<ShaderError>("the shader is SPIR-V {}, but the device's Vulkan {} accepts at most "
                          "SPIR-V {}; compile it for an older target environment",
                          spirvVersionText(spirv[1]), rules.vulkan,
                          spirvVersionText(rules.maxSpirv));
    }
}

} // namespace kp::shader
