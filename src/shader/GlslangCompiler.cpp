// SPDX-License-Identifier: Apache-2.0
#include "shader/GlslangCompiler.hpp"

#include <algorithm>
#include <climits>
#include <iterator>

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#if __has_include(<glslang/SPIRV/GlslangToSpv.h>)
#include <glslang/SPIRV/GlslangToSpv.h>
#else
#include <SPIRV/GlslangToSpv.h>
#endif
#if __has_include(<glslang/build_info.h>)
#include <glslang/build_info.h>
#endif

#include <kompute/Version.hpp>

#include "base/Text.hpp"
#include "shader/CompileLog.hpp"
#include "shader/SpirvModule.hpp"

namespace kp::shader {
namespace {

/// EShMsgDisplayErrorColumn of glslang 14 and newer, which reports the columns of errors. Older
/// headers lack the name, and older versions ignore the flag.
constexpr unsigned kShowColumns = 1u << 17;
constexpr int kGlslVersion = 450;
constexpr int kHlslVersion = 500;
constexpr int kVulkanDialect = 100;
constexpr int kMaxLocalSize = 65535;

struct Target {
    glslang::EShTargetClientVersion client;
    glslang::EShTargetLanguageVersion spirv;
};

Target targetFor(uint32_t vulkanVersion) {
    const uint32_t minor = vulkanVersion == 0          ? 1
                           : (vulkanVersion >> 22) > 1 ? 4
                                                       : (vulkanVersion >> 12) & 0x3ff;
    // SPIR-V 1.6 deprecates the WorkgroupSize built-in, which glslang still uses.
    constexpr Target kTargets[] = {
        {glslang::EShTargetVulkan_1_0, glslang::EShTargetSpv_1_0},
        {glslang::EShTargetVulkan_1_1, glslang::EShTargetSpv_1_3},
        {glslang::EShTargetVulkan_1_2, glslang::EShTargetSpv_1_5},
        {glslang::EShTargetVulkan_1_3, glslang::EShTargetSpv_1_5},
#if defined(GLSLANG_VERSION_MAJOR) &&                                                              \
    (GLSLANG_VERSION_MAJOR > 15 || (GLSLANG_VERSION_MAJOR == 15 && GLSLANG_VERSION_MINOR >= 1))
        {glslang::EShTargetVulkan_1_4, glslang::EShTargetSpv_1_5},
#endif
    };
    return kTargets[std::min<size_t>(minor, std::size(kTargets) - 1)];
}

/// Returns limits above those of any device. Algorithm checks the limits of its device.
TBuiltInResource resourceLimits() {
    TBuiltInResource limits = *GetDefaultResources();
    limits.maxComputeWorkGroupSizeX = kMaxLocalSize;
    limits.maxComputeWorkGroupSizeY = kMaxLocalSize;
    limits.maxComputeWorkGroupSizeZ = kMaxLocalSize;
    return limits;
}

std::string preambleFor(const CompileOptions& options) {
    std::string text;
    if (options.language == ShaderLanguage::eGlsl)
        text += "#extension GL_GOOGLE_include_directive : enable\n";
    for (const auto& [name, value] : options.defines)
        text += formatted("#define {} {}\n", name, value);
    return text;
}

EShMessages messagesFor(const CompileOptions& options) {
    unsigned flags = EShMsgSpvRules | EShMsgVulkanRules | kShowColumns;
    if (options.language == ShaderLanguage::eHlsl)
        flags |= EShMsgReadHlsl | EShMsgHlslLegalization | EShMsgHlslEnable16BitTypes;
    if (options.debugInfo)
        flags |= EShMsgDebugInfo;
    return static_cast<EShMessages>(flags);
}

void configure(glslang::TShader& shader, const CompileOptions& options) {
    const bool hlsl = options.language == ShaderLanguage::eHlsl;
    Target target = targetFor(options.vulkanVersion);
    // For HLSL, glslang declares buffers in a way that SPIR-V 1.4 removed.
    if (hlsl)
        target.spirv = std::min(target.spirv, glslang::EShTargetSpv_1_3);
    shader.setEnvInput(hlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl, EShLangCompute,
                       glslang::EShClientVulkan, kVulkanDialect);
    shader.setEnvClient(glslang::EShClientVulkan, target.client);
    shader.setEnvTarget(glslang::EShTargetSpv, target.spirv);
    shader.setEntryPoint(hlsl ? options.entryPoint.c_str() : "main");
    if (hlsl) {
        shader.setSourceEntryPoint(options.entryPoint.c_str());
        shader.setAutoMapBindings(true);
    }
    shader.setEnhancedMsgs();
    shader.setDebugInfo(options.debugInfo);
}

#if defined(GLSLANG_VERSION_MAJOR) && (GLSLANG_VERSION_MAJOR == 12 || GLSLANG_VERSION_MAJOR == 13)
/// Makes plain sequences of the scopes in a syntax tree. With line information, glslang 12 writes
/// an instruction of another kind of debug information for each scope. It has ids that do not
/// exist, because it reads the top of an empty stack.
void removeScopes(TIntermNode& root) {
    class Remover final : public glslang::TIntermTraverser {
        bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override {
            if (node->getOp() == glslang::EOpScope)
                node->setOperator(glslang::EOpSequence);
            return true;
        }
    } remover;
    root.traverse(&remover);
}
#else
void removeScopes(TIntermNode&) {}
#endif

std::vector<uint32_t> generate(const glslang::TProgram& program, const CompileOptions& options,
                               std::string& log) {
    glslang::SpvOptions spvOptions;
    spvOptions.generateDebugInfo = options.debugInfo;
    if (TIntermNode* root = program.getIntermediate(EShLangCompute)->getTreeRoot();
        root != nullptr && options.debugInfo)
        removeScopes(*root);
    // HLSL needs the optimizer's legalization to be valid for Vulkan.
    spvOptions.disableOptimizer = options.language == ShaderLanguage::eGlsl;
    spv::SpvBuildLogger logger;
    std::vector<uint32_t> spirv;
    glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), spirv, &logger, &spvOptions);
    log += logger.getAllMessages();
    return spirv;
}

} // namespace

std::vector<uint32_t> runGlslang(const std::string& source, const CompileOptions& options,
                                 Includer& includer) {
    static const bool initialised = glslang::InitializeProcess();
    if (!initialised)
        fail<ShaderError>("the shader compiler glslang cannot be initialised");
    if (source.size() > INT_MAX) {
        throw ShaderError(formatted("{}: error: the source has {} bytes; the maximum is 2 GiB",
                                    options.fileName, source.size()),
                          options.fileName);
    }

    if (const auto line = findEndlessExpression(source)) {
        throw ShaderError(
            formatted("{}:{}: error: {}", options.fileName, *line, kEndlessExpression),
            options.fileName, *line);
    }

    glslang::TShader shader(EShLangCompute);
    const char* text = source.data();
    const int length = static_cast<int>(source.size());
    const char* name = options.fileName.c_str();
    const std::string preamble = preambleFor(options);
    shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
    shader.setPreamble(preamble.c_str());
    configure(shader, options);

    const auto failWith = [&](const std::string& log) {
        if (includer.failure() != nullptr)
            std::rethrow_exception(includer.failure());
        if (log.find("Entry point not found") != std::string::npos) {
            throw ShaderError(formatted("{}: error: there is no function '{}' for the entry point",
                                        options.fileName, options.entryPoint),
                              options.fileName, 0, 0, log);
        }
        SourceTexts sources = includer.texts();
        sources[options.fileName] = source;
        throw compileError(log, options.fileName, sources);
    };

    const TBuiltInResource limits = resourceLimits();
    const EShMessages messages = messagesFor(options);
    const bool hlsl = options.language == ShaderLanguage::eHlsl;
    if (!shader.parse(&limits, hlsl ? kHlslVersion : kGlslVersion, ECoreProfile, false, false,
                      messages, includer))
        failWith(std::string(shader.getInfoLog()) + shader.getInfoDebugLog());
    std::string log = shader.getInfoLog();

    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(messages) || (hlsl && !program.mapIO()))
        failWith(log + program.getInfoLog() + program.getInfoDebugLog());
    std::vector<uint32_t> spirv = generate(program, options, log);
    if (spirv.empty())
        failWith(log);
    return !hlsl && options.entryPoint != "main"
               ? renameEntryPoint(spirv, "main", options.entryPoint)
               : spirv;
}

const std::string& compilerVersion() {
    static const std::string text = [] {
        const glslang::Version version = glslang::GetVersion();
        return formatted("kompute " KOMPUTE_VERSION_STRING " glslang {}.{}.{} {}", version.major,
                         version.minor, version.patch, glslang::GetSpirvGeneratorVersion());
    }();
    return text;
}

} // namespace kp::shader
