// SPDX-License-Identifier: Apache-2.0
#include "primitives/source/Source.hpp"

#include <algorithm>

#include <Lanes.glsl.hpp>
#include <Types.glsl.hpp>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>
#include <kompute/shader/ShaderLibrary.hpp>

#include "base/Text.hpp"
#include "shader/compile/CompileLog.hpp"

namespace kp::primitives {
namespace {

class UserTexts final : public ShaderIncluder {
public:
    explicit UserTexts(const Kernel& kernel) : mKernel(kernel) {}

    bool include(const std::string& name, const std::string&, std::string& resolved,
                 std::string& contents) override {
        for (const Kernel::UserText& text : mKernel.userTexts)
            if (text.name == name) {
                resolved = name;
                contents = text.text;
                return true;
            }
        return false;
    }

private:
    const Kernel& mKernel;
};

std::string mentionOf(const Kernel::UserText& text) {
    return formatted("#include \"{}\"\n", text.name);
}

/// Returns the number of the line that a text ends in.
uint32_t lastLine(std::string_view text) {
    return static_cast<uint32_t>(1 + std::ranges::count(text, '\n'));
}

/// Attributes a fault that the compiler found in the line before or after a user's text to the
/// text: there it notices faults of the whole text, such as an early end.
/// @return whether the fault is in the text
bool moveInto(const Kernel::UserText& text, const Kernel& kernel, shader::Diagnostic& fault) {
    if (fault.file == text.name)
        return true;
    const size_t at = kernel.source.find(mentionOf(text));
    if (fault.file != kernel.name || at == std::string::npos)
        return false;
    const uint32_t line = lastLine(std::string_view(kernel.source).substr(0, at));
    if (fault.line + 1 == line) {
        fault.line = 1;
        fault.column = 0;
    } else if (fault.line == line + 1) {
        // npos + 1 is 0.
        const std::string_view shown =
            std::string_view(text.text).substr(0, text.text.find_last_not_of(" \t\r\n") + 1);
        fault.line = lastLine(shown);
        fault.column = static_cast<uint32_t>(shown.size() - (shown.rfind('\n') + 1) + 1);
        fault.message += " after the end of this text";
    } else {
        return false;
    }
    fault.file = text.name;
    fault.token.clear();
    return true;
}

/// Returns the name of a user's text in the messages of checked mode.
std::string checkedName(const Kernel& kernel, const Kernel::UserText& text) {
    return formatted("{}, {}", kernel.name, text.name);
}

/// Returns the source with the user's texts in it.
/// @param checked  with the lines of each, for checked mode
std::string wholeSource(const Kernel& kernel, bool checked) {
    std::string whole = kernel.source;
    if (checked) // behind the version
        whole.insert(whole.find('\n') + 1,
                     formatted("#extension GL_GOOGLE_cpp_style_line_directive : require\n"
                               "#line 2 \"{}\"\n",
                               kernel.name));
    for (const Kernel::UserText& text : kernel.userTexts) {
        const std::string mention = mentionOf(text);
        const size_t first = kernel.source.find(mention);
        std::string put = text.text + '\n';
        if (checked && first != std::string::npos)
            put = formatted("#line 1 \"{}\"\n{}#line {} \"{}\"\n", checkedName(kernel, text), put,
                            lastLine(std::string_view(kernel.source).substr(0, first)) + 1,
                            kernel.name);
        for (size_t at = whole.find(mention); at != std::string::npos;
             at = whole.find(mention, at + put.size()))
            whole.replace(at, mention.size(), put);
    }
    return whole;
}

/// Returns an error of the compiler with the lines of the user's texts.
ShaderError errorInTexts(const Kernel& kernel, const ShaderError& error) {
    shader::SourceTexts sources = {{kernel.name, kernel.source}};
    for (const Kernel::UserText& text : kernel.userTexts)
        sources[text.name] = text.text;
    std::vector<shader::Diagnostic> faults = shader::readLog(error.log(), sources);
    if (faults.empty())
        return error;
    std::string expected;
    for (const Kernel::UserText& text : kernel.userTexts) {
        bool found = false;
        for (shader::Diagnostic& fault : faults)
            found = moveInto(text, kernel, fault) || found;
        if (found && !text.expected.empty())
            expected += '\n' + text.expected;
    }
    const ShaderError made = shader::compileError(faults, error.log(), kernel.name, sources);
    return ShaderError(made.what() + expected, made.file(), made.line(), made.column(), made.log());
}

} // namespace

std::string eachMacro(const char* name, const std::string& argument, uint32_t count,
                      bool unrolled) {
    const std::string first = argument.empty() ? "" : argument + ", ";
    std::string macro =
        formatted("#define EACH_{}(F{})", name, argument.empty() ? "" : ", " + argument);
    if (!unrolled)
        return macro + formatted(" [[dont_unroll]] for (uint each = 0u; each < {}u; ++each) {{ "
                                 "F({}each) }}\n",
                                 count, first);
    for (uint32_t i = 0; i < count; ++i)
        macro += formatted(" F({}{}u)", first, i);
    return macro + '\n';
}

std::string composeSource(const std::string& macros, const std::string& functions,
                          std::string_view text, bool subgroups, bool memoryModel,
                          const std::vector<std::string>& extensions) {
    std::string source = R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_control_flow_attributes : enable
)";
    if (subgroups)
        source += R"(#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define SUBGROUPS
)";
    for (const std::string& extension : extensions)
        source += formatted("#extension {} : require\n", extension);
    if (memoryModel)
        source += R"(#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define MEMORY_MODEL
)";
    source += "layout(local_size_x_id = 0) in;\n";
    source += macros;
    shader::LibraryText library;
    library.use("kp_isnan", "float");
    if (macros.find("HAS_Double") != std::string::npos)
        library.use("kp_isnan", "double");
    source += library.text();
    source += TYPES_GLSL;
    source += LANES_GLSL;
    source += functions;
    source += text;
    return source;
}

shader::SourceTexts checkedTexts(const Kernel& kernel) {
    shader::SourceTexts texts;
    for (const Kernel::UserText& text : kernel.userTexts)
        texts[checkedName(kernel, text)] = text.text;
    return texts;
}

std::vector<uint32_t> compileKernel(const Kernel& kernel, const CacheFolders& folders,
                                    bool checked) {
    if (!kernel.spirv.empty())
        return kernel.spirv;
    CompileOptions options;
    options.fileName = kernel.name;
    folders.complete(options);
    options.includes = IncludePolicy::eNone; // expressions may come from strangers
    options.debugInfo = checked;
    const std::string whole = wholeSource(kernel, checked);
    if (kernel.userTexts.empty())
        return kp::compile(whole, options);
    try {
        return kp::compile(whole, options); // cached, unlike sources with an includer
    } catch (const ShaderError&) {
        UserTexts texts(kernel);
        options.includer = &texts;
        try {
            return kp::compile(kernel.source, options);
        } catch (const ShaderError& error) {
            throw errorInTexts(kernel, error);
        }
    }
}

} // namespace kp::primitives
