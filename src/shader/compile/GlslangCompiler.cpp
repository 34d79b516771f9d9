// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/GlslangCompiler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

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
#undef snprintf // which glslang defines for mingw-w64

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/compile/CompileLog.hpp"
#include "shader/limits/PreprocessedLimits.hpp"

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

/// Returns limits above any device's. Algorithm checks the limits of its device.
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

/// One call of glslang, with all that its options and messages need.
class GlslangRun {
public:
    GlslangRun(const std::string& source, const CompileOptions& options, Includer& includer)
        : mSource(source), mOptions(options), mIncluder(includer), mPreamble(preambleFor(options)),
          mLimits(resourceLimits()), mMessages(messagesFor(options)) {}

    std::vector<uint32_t> operator()() {
        requireSmall();
        glslang::TShader shader(EShLangCompute);
        prepare(shader);
        if (!shader.parse(&mLimits, version(), ECoreProfile, false, false, mMessages, mIncluder))
            failWith(std::string(shader.getInfoLog()) + shader.getInfoDebugLog());
        std::string log = shader.getInfoLog();

        glslang::TProgram program;
        program.addShader(&shader);
        if (!program.link(mMessages) || (hlsl() && !program.mapIO()))
            failWith(log + program.getInfoLog() + program.getInfoDebugLog());
        std::vector<uint32_t> spirv = generate(program, mOptions, log);
        if (spirv.empty())
            failWith(log);
        return !hlsl() && mOptions.entryPoint != "main"
                   ? renameEntryPoint(spirv, "main", mOptions.entryPoint)
                   : spirv;
    }

private:
    bool hlsl() const { return mOptions.language == ShaderLanguage::eHlsl; }
    int version() const { return hlsl() ? kHlslVersion : kGlslVersion; }

    void prepare(glslang::TShader& shader) {
        mName = mOptions.fileName.c_str();
        mText = mSource.data();
        mLength = static_cast<int>(mSource.size());
        shader.setStringsWithLengthsAndNames(&mText, &mLength, &mName, 1);
        shader.setPreamble(mPreamble.c_str());
        configure(shader, mOptions);
    }

    /// Runs the preprocessor alone, which is bounded by the limits of its files, and then measures
    /// the parser's input.
    void requireSmall() {
        for (const auto& [name, value] : mOptions.defines)
            mIncluder.limits().addMacro(name, value);
        mIncluder.limits().addFile(mOptions.fileName, mSource);
        glslang::TShader shader(EShLangCompute);
        prepare(shader);
        std::string text;
        if (!shader.preprocess(&mLimits, version(), ECoreProfile, false, false, mMessages, &text,
                               mIncluder))
            failWith(std::string(shader.getInfoLog()) + shader.getInfoDebugLog());
        requireWithinLimits(text, mOptions.fileName, std::ranges::count(mPreamble, '\n'));
    }

    [[noreturn]] void failWith(const std::string& log) {
        if (mIncluder.failure() != nullptr)
            std::rethrow_exception(mIncluder.failure());
        if (log.find("Entry point not found") != std::string::npos)
            throw missingEntryPoint(mOptions, log);
        SourceTexts sources = mIncluder.texts();
        sources[mOptions.fileName] = mSource;
        throw compileError(readLog(log, sources), log, mOptions.fileName, sources);
    }

    const std::string& mSource;
    const CompileOptions& mOptions;
    Includer& mIncluder;
    const std::string mPreamble;
    const TBuiltInResource mLimits;
    const EShMessages mMessages;
    const char* mName = nullptr;
    const char* mText = nullptr;
    int mLength = 0;
};

} // namespace

void prepareGlslang() {
    static const bool initialised = glslang::InitializeProcess();
    if (!initialised)
        fail<ShaderError>("the shader compiler glslang cannot be initialised");
}

std::vector<uint32_t> runGlslang(const std::string& source, const CompileOptions& options,
                                 Includer& includer) {
    return GlslangRun(source, options, includer)();
}

std::string glslangVersion() {
    const glslang::Version version = glslang::GetVersion();
    return formatted("glslang {}.{}.{} {}", version.major, version.minor, version.patch,
                     glslang::GetSpirvGeneratorVersion());
}

} // namespace kp::shader
