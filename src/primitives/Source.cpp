// SPDX-License-Identifier: Apache-2.0
#include "primitives/Source.hpp"

#include <Lanes.glsl.hpp>
#include <Types.glsl.hpp>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "base/Text.hpp"

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

} // namespace

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
    source += TYPES_GLSL;
    source += LANES_GLSL;
    source += functions;
    source += text;
    return source;
}

std::vector<uint32_t> compileKernel(const Kernel& kernel) {
    if (!kernel.spirv.empty())
        return kernel.spirv;
    CompileOptions options;
    options.fileName = kernel.name;
    std::string whole = kernel.source;
    for (const Kernel::UserText& text : kernel.userTexts) {
        const std::string line = formatted("#include \"{}\"\n", text.name);
        for (size_t at = whole.find(line); at != std::string::npos; at = whole.find(line, at))
            whole.replace(at, line.size(), text.text + '\n');
    }
    if (kernel.userTexts.empty())
        return kp::compile(whole, options);
    try {
        return kp::compile(whole, options); // cached, unlike sources with an includer
    } catch (const ShaderError&) {
        UserTexts texts(kernel);
        options.includer = &texts;
        return kp::compile(kernel.source, options);
    }
}

} // namespace kp::primitives
