// SPDX-License-Identifier: Apache-2.0
#include <kompute/Shader.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include <kompute/Error.hpp>

#include "base/CompileNotice.hpp"
#include "base/Text.hpp"
#include "base/files/Path.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/check/CheckMode.hpp"
#include "shader/compile/CompileCache.hpp"
#include "shader/compile/Compiler.hpp"
#include "shader/compile/Includer.hpp"
#include "shader/reflect/AccessAnalysis.hpp"

namespace kp {
namespace {

bool isIdentifier(const std::string& name) {
    const auto isLetter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::ranges::all_of(name, isLetter);
}

/// Returns true for `NAME` and `NAME(a, b)`.
bool isMacroHead(const std::string& name) {
    const size_t open = name.find('(');
    return isIdentifier(name.substr(0, open)) &&
           (open == std::string::npos ||
            (name.back() == ')' && name.find('\n') == std::string::npos));
}

void requireValid(const CompileOptions& options) {
    if (options.entryPoint.empty() || options.entryPoint.find('\0') != std::string::npos)
        fail<InvalidArgument>("compile: the entry point's name is empty or contains a zero byte");
    for (const auto& [name, value] : options.defines) {
        if (!isMacroHead(name)) {
            fail<InvalidArgument>("compile: '{}' is not a macro name; expected letters, digits and "
                                  "underscores, such as TILE or MAX(a, b)",
                                  name);
        }
        if (value.find_first_of(std::string("\n\r\0", 3)) != std::string::npos) {
            fail<InvalidArgument>(
                "compile: the value of the macro '{}' contains a line break or a zero byte", name);
        }
    }
    if (options.vulkanVersion != 0 && (options.vulkanVersion >> 22) == 0) {
        fail<InvalidArgument>("compile: vulkanVersion {} is not a Vulkan version; expected "
                              "VK_MAKE_VERSION(1, minor, 0) or 0",
                              options.vulkanVersion);
    }
}

/// Rejects used variables of an HLSL shader that share a binding. `register(t0)` and `register(u0)`
/// are different registers but the same Vulkan binding.
/// @throws ShaderError that names both variables and the remedy
void refuseDuplicateBindings(const std::vector<uint32_t>& spirv, const CompileOptions& options) {
    const shader::SpirvModule module = shader::parseSpirv(spirv);
    const auto* entry = module.compute(options.entryPoint);
    if (entry == nullptr)
        return;
    std::map<uint32_t, std::string> names;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places;
    for (const shader::Instruction& each : module.instructions) {
        if (each.opcode == spv::OpName) {
            names[each.word(1)] = each.text(2);
        } else if (each.opcode == spv::OpDecorate) {
            if (each.word(2) == spv::DecorationDescriptorSet)
                places[each.word(1)].first = each.word(3);
            else if (each.word(2) == spv::DecorationBinding)
                places[each.word(1)].second = each.word(3);
        }
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> taken;
    for (const auto& [variable, access] : shader::analyzeAccess(module, entry->function)) {
        const auto place = places.find(variable);
        if (place == places.end())
            continue;
        const auto [other, isFirst] = taken.emplace(place->second, variable);
        if (!isFirst) {
            throw ShaderError(
                formatted(
                    "{}: error: '{}' and '{}' both use binding {} of set {}: in Vulkan a "
                    "register's number is its binding, regardless of its letter. Use different "
                    "numbers, or [[vk::binding(n)]]",
                    options.fileName, names[other->second], names[variable], place->second.second,
                    place->second.first),
                options.fileName);
        }
    }
}

/// @throws as compile(), for options and empty sources
void requireValid(const std::string& source, const CompileOptions& options) {
    requireValid(options);
    if (std::ranges::all_of(source, [](unsigned char c) { return std::isspace(c) != 0; })) {
        throw ShaderError(formatted("{}: error: the source is empty", options.fileName),
                          options.fileName);
    }
}

/// Returns the source without a byte order mark.
std::string textOf(std::string_view source) {
    return std::string(source.substr(source.starts_with("\xEF\xBB\xBF") ? 3 : 0));
}

std::vector<uint32_t> compileText(const std::string& source, const CompileOptions& options) {
    requireValid(source, options);
    const shader::CompileCache cache(source, options);
    if (const auto cached = cache.find())
        return cached->spirv;
    shader::Includer includer(options);
    const std::vector<uint32_t> spirv = [&] {
        const CompileNotice notice("a shader");
        return shader::runCompiler(source, options, includer);
    }();
    if (options.language == ShaderLanguage::eHlsl)
        refuseDuplicateBindings(spirv, options);
    cache.store(spirv, includer.records());
    return spirv;
}

/// Returns the options with lines and assertions, if checked mode is on.
CompileOptions withChecks(CompileOptions options) {
    if (!shader::currentChecks().any())
        return options;
    options.debugInfo = true;
    const auto isDefined = [](const auto& define) { return define.first == "KOMPUTE_CHECK"; };
    if (std::ranges::none_of(options.defines, isDefined))
        options.defines.emplace_back("KOMPUTE_CHECK", // for <kompute/check.glsl>
                                     options.language == ShaderLanguage::eHlsl ? "2" : "1");
    return options;
}

/// Returns the language that the extension of a path names, or @p otherwise.
ShaderLanguage languageOf(const std::string& path, ShaderLanguage otherwise) {
    std::string extension = toText(toPath(path).extension());
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".hlsl"    ? ShaderLanguage::eHlsl
           : extension == ".slang" ? ShaderLanguage::eSlang
                                   : otherwise;
}

/// Returns the text of a file, and sets the options that its path decides.
std::string readSource(const std::string& path, CompileOptions& options) {
    auto source = shader::readTextFile(path);
    if (!source) {
        fail<InvalidArgument>("compileFile: cannot read '{}': it does not exist, is not a regular "
                              "file, or is not readable",
                              path);
    }
    options.fileName = path;
    options.language = languageOf(path, options.language);
    return *std::move(source);
}

} // namespace

ShaderIncluder::~ShaderIncluder() = default;

std::vector<uint32_t> compile(std::string_view source, const CompileOptions& options) {
    return compileText(textOf(source), withChecks(options));
}

std::optional<std::vector<uint32_t>> findCompiled(std::string_view source,
                                                  const CompileOptions& given) {
    const std::string text = textOf(source);
    const CompileOptions options = withChecks(given);
    requireValid(text, options);
    if (const auto cached = shader::CompileCache(text, options).find())
        return cached->spirv;
    return std::nullopt;
}

std::vector<uint32_t> compileFile(const std::string& path, CompileOptions options) {
    const std::string source = readSource(path, options);
    return compile(source, options);
}

std::optional<std::vector<uint32_t>> findCompiledFile(const std::string& path,
                                                      CompileOptions options) {
    const std::string source = readSource(path, options);
    return findCompiled(source, options);
}

} // namespace kp
