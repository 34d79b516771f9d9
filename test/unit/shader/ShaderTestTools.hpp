// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>
#include <spirv-tools/libspirv.h>

#include "shader/SpirvModule.hpp"
#include "shader/reflect/AccessAnalysis.hpp"
#include "unit/TestFiles.hpp"
#include "unit/TestText.hpp"

namespace kp::test {

constexpr uint32_t vulkan(uint32_t minor) {
    return (1u << 22) | (minor << 12);
}

/// Assembles SPIR-V text.
inline std::vector<uint32_t> assemble(const std::string& text,
                                      spv_target_env environment = SPV_ENV_UNIVERSAL_1_5) {
    const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
        spvContextCreate(environment), &spvContextDestroy);
    spv_binary binary = nullptr;
    spv_diagnostic diagnostic = nullptr;
    const spv_result_t result =
        spvTextToBinary(context.get(), text.data(), text.size(), &binary, &diagnostic);
    std::string fault = diagnostic != nullptr ? diagnostic->error : "";
    spvDiagnosticDestroy(diagnostic);
    if (result != SPV_SUCCESS)
        throw std::runtime_error("the test's assembly is invalid: " + fault);
    std::vector<uint32_t> words(binary->code, binary->code + binary->wordCount);
    spvBinaryDestroy(binary);
    return words;
}

/// Returns a compute shader with these declarations and this body of main().
inline std::string glsl(const std::string& declarations, const std::string& body) {
    return "#version 450\nlayout(local_size_x = 1) in;\n" + declarations + "\nvoid main()\n{\n" +
           body + "\n}\n";
}

/// Returns "r", "w", "rw" or "-" for each used binding of set 0, by binding number.
inline std::map<uint32_t, std::string> accessesOf(const std::vector<uint32_t>& spirv,
                                                  const std::string& entryPoint = "main") {
    const shader::SpirvModule module = shader::parseSpirv(spirv);
    std::map<uint32_t, uint32_t> bindings;
    for (const auto& each : module.instructions) {
        if (each.opcode == spv::OpDecorate && each.word(2) == spv::DecorationBinding)
            bindings[each.word(1)] = each.word(3);
    }
    std::map<uint32_t, std::string> result;
    for (const auto& [variable, access] :
         shader::analyzeAccess(module, module.compute(entryPoint)->function)) {
        const std::string text = std::string(access.reads ? "r" : "") + (access.writes ? "w" : "");
        result[bindings.at(variable)] = text.empty() ? "-" : text;
    }
    return result;
}

using Accesses = std::map<uint32_t, std::string>;

/// Calls @p what and returns the ShaderError that it must throw.
template <typename What>
ShaderError shaderErrorOf(What&& what) {
    try {
        what();
    } catch (const ShaderError& error) {
        return error;
    }
    ADD_FAILURE() << "no ShaderError was thrown";
    return ShaderError("none");
}

} // namespace kp::test
