// SPDX-License-Identifier: Apache-2.0
#include "shader/Validate.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include <kompute/Error.hpp>
#include <spirv-tools/libspirv.h>

#include "shader/Hash.hpp"
#include "shader/LruCache.hpp"
#include "shader/SpirvModule.hpp"

namespace kp::shader {
namespace {

constexpr uint32_t kSwappedMagic = 0x03022307;
constexpr size_t kRememberedModules = 16384;

struct Rules {
    uint32_t vulkanMinor; ///< of Vulkan 1.x, at most kNewestMinor
    uint32_t newestSpirv; ///< the newest SPIR-V version that Vulkan version takes
    std::string vulkan;   ///< "1.3", for messages
};

Rules rulesOf(uint32_t vulkanVersion) {
    const uint32_t major = (vulkanVersion >> 22) & 0x7f;
    const uint32_t minor = (vulkanVersion >> 12) & 0x3ff;
    if (major == 0) {
        return rulesOf((1u << 22) | (1u << 12));
    }
    const uint32_t known = major > 1 ? 4 : std::min(minor, 4u);
    constexpr uint32_t kNewest[] = {0x00010000, 0x00010300, 0x00010500, 0x00010600, 0x00010600};
    return {known, kNewest[known], std::to_string(major) + "." + std::to_string(minor)};
}

void checkHeader(std::span<const uint32_t> spirv, const Rules& rules) {
    if (spirv.empty()) {
        throw ShaderError("SPIR-V is empty: 0 words given");
    }
    if (spirv[0] == kSwappedMagic) {
        throw ShaderError("SPIR-V has the byte order of another machine: its first word is "
                          "0x03022307, expected 0x07230203");
    }
    if (spirv[0] != kSpirvMagic) {
        char word[11];
        std::snprintf(word, sizeof word, "0x%08x", spirv[0]);
        throw ShaderError(std::string("this is not SPIR-V: its first word is ") + word +
                          ", expected 0x07230203. GLSL or HLSL text must be compiled first, see "
                          "kp::compile");
    }
    if (spirv.size() < kSpirvHeaderWords) {
        throw ShaderError("SPIR-V is truncated: " + std::to_string(spirv.size()) +
                          " words given, the header alone has 5");
    }
    if (spirv[1] > rules.newestSpirv) {
        throw ShaderError("the shader is SPIR-V " + spirvVersionText(spirv[1]) +
                          ", but the device's Vulkan " + rules.vulkan + " takes SPIR-V " +
                          spirvVersionText(rules.newestSpirv) +
                          " at most: compile it for an older target environment");
    }
}

spv_target_env environmentOf(const Rules& rules) {
    for (uint32_t minor = rules.vulkanMinor;; --minor) {
        spv_target_env environment = SPV_ENV_VULKAN_1_0;
        if (spvParseVulkanEnv((1u << 22) | (minor << 12), 1u << 16, &environment) || minor == 0) {
            return environment;
        }
    }
}

std::string hintFor(const std::string& fault) {
    const bool unknownToTools = fault.find("Invalid capability operand") != std::string::npos ||
                                fault.find("Invalid opcode") != std::string::npos ||
                                fault.find("Invalid extension") != std::string::npos;
    return unknownToTools ? std::string(" (the library was built with SPIRV-Tools ") +
                                spvSoftwareVersionString() + ", which may not know a newer feature)"
                          : std::string();
}

void runValidator(std::span<const uint32_t> spirv, const Rules& rules, bool scalarLayout) {
    const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
        spvContextCreate(environmentOf(rules)), &spvContextDestroy);
    const std::unique_ptr<spv_validator_options_t, decltype(&spvValidatorOptionsDestroy)> options(
        spvValidatorOptionsCreate(), &spvValidatorOptionsDestroy);
    spvValidatorOptionsSetScalarBlockLayout(options.get(), scalarLayout);
    spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), scalarLayout);
    spvValidatorOptionsSetUniformBufferStandardLayout(options.get(), scalarLayout);
    spvValidatorOptionsSetRelaxBlockLayout(options.get(), rules.vulkanMinor >= 1);
    spvValidatorOptionsSetAllowLocalSizeId(options.get(), rules.vulkanMinor >= 3);

    spv_const_binary_t binary{spirv.data(), spirv.size()};
    spv_diagnostic raw = nullptr;
    const spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &raw);
    const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> diagnostic(
        raw, &spvDiagnosticDestroy);
    if (result == SPV_SUCCESS) {
        return;
    }
    std::string fault = "no details given";
    if (diagnostic != nullptr && diagnostic->error != nullptr) {
        fault = diagnostic->error;
    }
    const std::string at = diagnostic != nullptr && diagnostic->position.index > 0
                               ? " at word " + std::to_string(diagnostic->position.index)
                               : std::string();
    throw ShaderError("SPIR-V is not valid for Vulkan " + rules.vulkan + at + ": " + fault +
                          hintFor(fault),
                      {}, 0, 0, fault);
}

void checkStage(std::span<const uint32_t> spirv) {
    const SpirvModule module = parseSpirv(spirv);
    const bool compute = std::ranges::any_of(module.entryPoints, [](const auto& entry) {
        return entry.model == kExecutionModelCompute;
    });
    if (!compute) {
        throw ShaderError("the module has no compute entry point; its entry points: " +
                          module.describeEntryPoints());
    }
}

} // namespace

void validate(std::span<const uint32_t> spirv, uint32_t vulkanVersion, bool scalarLayout) {
    validate(spirv, hashBytes(spirv.data(), spirv.size_bytes()), vulkanVersion, scalarLayout);
}

void validate(std::span<const uint32_t> spirv, const Hash& hash, uint32_t vulkanVersion,
              bool scalarLayout) {
    static LruCache<bool> accepted(kRememberedModules);
    const Rules rules = rulesOf(vulkanVersion);
    const uint64_t settings[] = {hash.low, hash.high,
                                 rules.vulkanMinor * 2 + (scalarLayout ? 1u : 0u)};
    const Hash key = hashBytes(settings, sizeof settings);
    if (accepted.get(key)) {
        return;
    }
    checkHeader(spirv, rules);
    runValidator(spirv, rules, scalarLayout);
    checkStage(spirv);
    accepted.put(key, true, 1);
}

} // namespace kp::shader
