// SPDX-License-Identifier: Apache-2.0
#include "shader/Validate.hpp"

#include <cstring>

#include "ShaderTestTools.hpp"

namespace kp::shader {
namespace {

using test::assemble;
using test::contains;
using test::glsl;
using test::shaderErrorOf;
using test::vulkan;

std::vector<uint32_t> sample() {
    return compile(glsl("layout(binding = 0) buffer Data { float data[]; };",
                        "data[gl_GlobalInvocationID.x] += 1.0;"));
}

const std::string kTail = "OpMemoryModel Logical GLSL450\n";
const std::string kMain = "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                          "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\n"
                          "OpFunctionEnd\n";

TEST(Validate, AcceptsAValidModuleRepeatedly) {
    const auto spirv = sample();
    EXPECT_NO_THROW(validate(spirv, vulkan(1)));
    EXPECT_NO_THROW(validate(spirv, vulkan(1)));
    EXPECT_NO_THROW(validate(spirv, vulkan(3), false));
    EXPECT_NO_THROW(validate(spirv, vulkan(4)));
    EXPECT_NO_THROW(validate(spirv, vulkan(77)));
    EXPECT_NO_THROW(validate(spirv, 0));
}

TEST(Validate, RefusesWordsThatAreNotSpirv) {
    EXPECT_TRUE(contains(shaderErrorOf([] { validate({}, vulkan(1)); }).what(), "empty"));

    const std::string text = "#version 450\nvoid main() {}\n";
    std::vector<uint32_t> words(text.size() / 4);
    std::memcpy(words.data(), text.data(), words.size() * 4);
    const auto error = shaderErrorOf([&] { validate(words, vulkan(1)); });
    EXPECT_TRUE(contains(error.what(), "0x07230203"));
    EXPECT_TRUE(contains(error.what(), "compile"));

    std::vector<uint32_t> swapped = sample();
    for (uint32_t& word : swapped)
        word = (word >> 24) | ((word >> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24);
    EXPECT_TRUE(
        contains(shaderErrorOf([&] { validate(swapped, vulkan(1)); }).what(), "byte order"));
}

TEST(Validate, RefusesEveryTruncation) {
    const auto spirv = sample();
    for (size_t size = 0; size < spirv.size(); ++size) {
        EXPECT_THROW(validate(std::span(spirv).first(size), vulkan(1)), ShaderError) << size;
    }
    EXPECT_TRUE(
        contains(shaderErrorOf([&] { validate(std::span(spirv).first(3), vulkan(1)); }).what(),
                 "truncated"));
}

TEST(Validate, NamesBothVersionsIfTheModuleIsTooNew) {
    CompileOptions options;
    options.vulkanVersion = vulkan(3);
    const auto spirv = compile(glsl("", ""), options);
    EXPECT_NO_THROW(validate(spirv, vulkan(3)));
    const auto error = shaderErrorOf([&] { validate(spirv, vulkan(1)); });
    EXPECT_TRUE(contains(error.what(), "SPIR-V 1.5"));
    EXPECT_TRUE(contains(error.what(), "Vulkan 1.1"));
    EXPECT_TRUE(contains(error.what(), "SPIR-V 1.3"));

    auto future = spirv;
    future[1] = 0x00020000;
    EXPECT_TRUE(contains(shaderErrorOf([&] { validate(future, vulkan(4)); }).what(), "SPIR-V 2.0"));
}

TEST(Validate, NamesTheStagesOfAModuleWithoutAComputeShader) {
    const auto vertex =
        assemble("OpCapability Shader\n" + kTail + "OpEntryPoint Vertex %main \"draw\"\n" + kMain,
                 SPV_ENV_UNIVERSAL_1_3);
    const auto error = shaderErrorOf([&] { validate(vertex, vulkan(1)); });
    EXPECT_TRUE(contains(error.what(), "vertex 'draw'"));

    const auto library = assemble("OpCapability Shader\nOpCapability Linkage\n" + kTail + kMain,
                                  SPV_ENV_UNIVERSAL_1_3);
    EXPECT_THROW(validate(library, vulkan(1)), ShaderError);
}

TEST(Validate, RefusesOpenClKernels) {
    const auto kernel = assemble("OpCapability Kernel\nOpCapability Addresses\n"
                                 "OpMemoryModel Physical64 OpenCL\n"
                                 "OpEntryPoint Kernel %main \"main\"\n" +
                                     kMain,
                                 SPV_ENV_UNIVERSAL_1_3);
    EXPECT_THROW(validate(kernel, vulkan(1)), ShaderError);
}

TEST(Validate, RefusesAnInvalidModule) {
    const auto noBinding = assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main"
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %rta ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %rta = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %rta
        %pblock = OpTypePointer StorageBuffer %block
        %puint = OpTypePointer StorageBuffer %uint
        %data = OpVariable %pblock StorageBuffer
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %at = OpAccessChain %puint %data %zero %zero
        OpStore %at %zero
        OpReturn
        OpFunctionEnd)",
                                    SPV_ENV_UNIVERSAL_1_3);
    const auto error = shaderErrorOf([&] { validate(noBinding, vulkan(1)); });
    EXPECT_TRUE(contains(error.what(), "not valid"));
    EXPECT_FALSE(error.log().empty());
}

TEST(Validate, AcceptsScalarLayoutIfTheDeviceSupportsIt) {
    const auto spirv = compile("#version 450\n#extension GL_EXT_scalar_block_layout : require\n"
                               "layout(binding = 0, scalar) buffer Data { float a; vec3 b[]; };\n"
                               "void main() { b[1] = vec3(a); }\n");
    EXPECT_NO_THROW(validate(spirv, vulkan(1), true));
    EXPECT_THROW(validate(spirv, vulkan(1), false), ShaderError);
}

TEST(Validate, SurvivesEverySingleWordFlip) {
    const auto spirv = sample();
    size_t refused = 0;
    for (size_t at = 0; at < spirv.size(); ++at) {
        for (const uint32_t flip : {0x1u, 0x10000u, 0xffffffffu}) {
            auto damaged = spirv;
            damaged[at] ^= flip;
            try {
                validate(damaged, vulkan(1));
            } catch (const ShaderError& error) {
                EXPECT_STRNE(error.what(), "");
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, spirv.size());
}

} // namespace
} // namespace kp::shader
