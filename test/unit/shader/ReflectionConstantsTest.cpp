// SPDX-License-Identifier: Apache-2.0
#include "unit/shader/ReflectionSupport.hpp"

namespace kp::shader {
namespace {

TEST(Reflection, DescribesPushConstants) {
    const auto result = reflectGlsl(
        "layout(binding = 0) buffer Data { float data[]; };\n"
        "layout(push_constant) uniform Push { float scale; layout(offset = 16) uvec3 size; "
        "mat2 turn; int table[3]; } push;\n",
        "data[0] = push.scale + float(push.size.x) + push.turn[0][0] + float(push.table[2]);");
    EXPECT_EQ(result.pushConstantSize, 60u);
    ASSERT_EQ(result.pushConstants.size(), 4u);
    EXPECT_EQ(result.pushConstants[0].name, "scale");
    EXPECT_EQ(result.pushConstants[0].offset, 0u);
    EXPECT_EQ(result.pushConstants[0].size, 4u);
    EXPECT_EQ(result.pushConstants[0].type, ScalarType::eFloat32);
    EXPECT_EQ(result.pushConstants[0].components, 1u);
    EXPECT_EQ(result.pushConstants[1].offset, 16u);
    EXPECT_EQ(result.pushConstants[1].size, 12u);
    EXPECT_EQ(result.pushConstants[1].type, ScalarType::eUint32);
    EXPECT_EQ(result.pushConstants[1].components, 3u);
    EXPECT_EQ(result.pushConstants[2].offset, 32u);
    EXPECT_EQ(result.pushConstants[2].components, 4u);
    EXPECT_EQ(result.pushConstants[3].offset, 48u);
    EXPECT_EQ(result.pushConstants[3].components, 3u);
    EXPECT_EQ(reflectGlsl("", "").pushConstantSize, 0u);
}

TEST(Reflection, DescribesSpecializationConstants) {
    const auto result =
        reflectGlsl("#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                    "layout(constant_id = 7) const float factor = 1.5;\n"
                    "layout(constant_id = 2) const int shift = -3;\n"
                    "layout(constant_id = 4) const bool flag = true;\n"
                    "layout(constant_id = 5) const double wide = 2.0;\n"
                    "layout(constant_id = 6) const uint64_t big = 0x123456789abcdef0ul;\n"
                    "layout(constant_id = 1) const int16_t small = int16_t(-2);\n"
                    "layout(binding = 0) buffer Data { double data[]; };\n",
                    "data[0] = flag ? factor + shift + wide + double(big) + double(small) : 0.0;");
    ASSERT_EQ(result.specConstants.size(), 6u);
    const SpecConstant expected[] = {{1, "small", ScalarType::eInt16, 0xfffe},
                                     {2, "shift", ScalarType::eInt32, 0xfffffffd},
                                     {4, "flag", ScalarType::eBool, 1},
                                     {5, "wide", ScalarType::eFloat64, 0x4000000000000000},
                                     {6, "big", ScalarType::eUint64, 0x123456789abcdef0},
                                     {7, "factor", ScalarType::eFloat32, 0x3fc00000}};
    for (size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(result.specConstants[i].id, expected[i].id);
        EXPECT_EQ(result.specConstants[i].name, expected[i].name);
        EXPECT_EQ(result.specConstants[i].type, expected[i].type) << expected[i].name;
        EXPECT_EQ(result.specConstants[i].defaultBits, expected[i].defaultBits) << expected[i].name;
    }
}

TEST(Reflection, ReadsTheLocalSizeAndItsConstants) {
    const std::string buffer = "layout(binding = 0) buffer Data { uint data[]; };\n";
    for (const uint32_t minor : {1u, 3u}) {
        CompileOptions options;
        options.vulkanVersion = vulkan(minor);
        const auto fixed =
            compile("#version 450\nlayout(local_size_x = 8, local_size_z = 3) in;\n" + buffer +
                        "void main() { data[0] = 1u; }\n",
                    options);
        EXPECT_EQ(reflect(fixed).localSize, (std::array<uint32_t, 3>{8, 1, 3}));
        EXPECT_FALSE(reflect(fixed).localSizeId[0]);

        const auto special = compile("#version 450\nlayout(local_size_x_id = 10, local_size_y = 4, "
                                     "local_size_z_id = 12) in;\nlayout(local_size_x = 16) in;\n" +
                                         buffer + "void main() { data[0] = gl_WorkGroupSize.x; }\n",
                                     options);
        validate(special, vulkan(minor));
        const auto result = reflect(special);
        EXPECT_EQ(result.localSize, (std::array<uint32_t, 3>{16, 4, 1}));
        EXPECT_EQ(result.localSizeId[0], 10u);
        EXPECT_FALSE(result.localSizeId[1]);
        EXPECT_EQ(result.localSizeId[2], 12u);
    }
}

TEST(Reflection, ReadsLocalSizeId) {
    const auto spirv = test::assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main"
        OpExecutionModeId %main LocalSizeId %x %y %z
        OpDecorate %x SpecId 3
        OpDecorate %z SpecId 5
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %x = OpSpecConstant %uint 32
        %y = OpConstant %uint 2
        %z = OpSpecConstant %uint 1
        %main = OpFunction %void None %fn
        %entry = OpLabel
        OpReturn
        OpFunctionEnd)",
                                      SPV_ENV_UNIVERSAL_1_6);
    validate(spirv, vulkan(3));
    const auto result = reflect(spirv);
    EXPECT_EQ(result.localSize, (std::array<uint32_t, 3>{32, 2, 1}));
    EXPECT_EQ(result.localSizeId[0], 3u);
    EXPECT_FALSE(result.localSizeId[1]);
    EXPECT_EQ(result.localSizeId[2], 5u);
}

} // namespace
} // namespace kp::shader
