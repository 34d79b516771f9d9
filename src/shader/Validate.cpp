// SPDX-License-Identifier: Apache-2.0
#include "shader/Validate.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <kompute/Error.hpp>
#include <spirv-tools/libspirv.h>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/SpirvVersion.hpp"
#include "shader/compile/CompilerThread.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/compile/LruCache.hpp"
#include "shader/limits/SpirvLimits.hpp"

namespace kp::shader {
namespace {

constexpr size_t kMaxAcceptedModules = 16384;
/// A smaller module has too few instructions to recurse through the stack of any thread.
constexpr size_t kMinWordsForThread = 20'000;

spv_target_env environmentOf(const SpirvRules& rules) {
    for (uint32_t minor = rules.vulkanMinor;; --minor) {
        spv_target_env environment = SPV_ENV_VULKAN_1_0;
        if (spvParseVulkanEnv((1u << 22) | (minor << 12), 1u << 16, &environment) || minor == 0)
            return environment;
    }
}

std::string hintFor(const std::string& fault) {
    const bool unknownToTools = fault.find("Invalid capability operand") != std::string::npos ||
                                fault.find("Invalid opcode") != std::string::npos ||
                                fault.find("Invalid source language") != std::string::npos ||
                                fault.find("Invalid extension") != std::string::npos;
    return unknownToTools ? formatted(" (the library was built with SPIRV-Tools {}, which may not "
                                      "know a newer feature)",
                                      spvSoftwareVersionString())
                          : std::string();
}

void runValidator(std::span<const uint32_t> spirv, const SpirvRules& rules, bool scalarLayout) {
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
    if (result == SPV_SUCCESS)
        return;
    std::string fault = "no details given";
    if (diagnostic != nullptr && diagnostic->error != nullptr)
        fault = diagnostic->error;
    const std::string place = diagnostic != nullptr && diagnostic->position.index > 0
                                  ? formatted(" at word {}", diagnostic->position.index)
                                  : std::string();
    throw ShaderError(formatted("the SPIR-V is not valid for Vulkan {}{}: {}{}", rules.vulkan,
                                place, fault, hintFor(fault)),
                      {}, 0, 0, fault);
}

void checkStage(const SpirvModule& module) {
    const bool compute = std::ranges::any_of(module.entryPoints, [](const auto& entry) {
        return entry.model == spv::ExecutionModelGLCompute;
    });
    if (!compute) {
        fail<ShaderError>("the module has no compute entry point; its entry points: {}",
                          module.describeEntryPoints());
    }
}

} // namespace

void validate(std::span<const uint32_t> spirv, uint32_t vulkanVersion, bool scalarLayout) {
    validate(spirv, contentKey(spirv), vulkanVersion, scalarLayout);
}

void validate(std::span<const uint32_t> spirv, const Hash& contentKey, uint32_t vulkanVersion,
              bool scalarLayout) {
    static auto& accepted = *new LruCache<bool>(kMaxAcceptedModules);
    const SpirvRules rules = spirvRulesOf(vulkanVersion);
    const Hash key{contentKey.low, rules.vulkanMinor * 2 + (scalarLayout ? 1u : 0u)};
    if (accepted.get(key))
        return;
    requireSpirvVersion(spirv, vulkanVersion);
    const SpirvModule module = parseSpirv(spirv);
    requireModest(spirv, module);
    if (spirv.size() < kMinWordsForThread)
        runValidator(spirv, rules, scalarLayout);
    else
        runWithLargeStack([&] { runValidator(spirv, rules, scalarLayout); });
    checkStage(module);
    accepted.put(key, true, 1);
}

} // namespace kp::shader
