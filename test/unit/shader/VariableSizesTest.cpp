// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "ShaderTestTools.hpp"
#include "shader/reflect/VariableSizes.hpp"

namespace kp::shader {
namespace {

std::optional<uint64_t> privateBytes(const std::vector<uint32_t>& spirv,
                                     const std::map<uint32_t, uint64_t>& specialization = {}) {
    const SpirvModule module = parseSpirv(spirv);
    return privateArrayBytes(module, module.compute("main")->function, specialization);
}

std::vector<uint32_t> shaderWith(const std::string& declarations, const std::string& body,
                                 const kp::CompileOptions& options = {}) {
    return kp::compile("#version 450\nlayout(local_size_x_id = 0) in;\n" + declarations +
                           "layout(binding = 0) buffer X { float x[]; };\nvoid main() {\n" + body +
                           "\n}\n",
                       options);
}

TEST(SharedMemory, CountsNoBytesWithoutSharedVariables) {
    EXPECT_EQ(sharedMemoryBytes(shaderWith("", "x[0] = 1.0;")), 0u);
}

TEST(SharedMemory, AddsUpVariablesOfFixedSize) {
    const auto spirv =
        shaderWith("struct S { float a; vec2 b; };\n"
                   "shared float a[10];\nshared vec3 b[2];\nshared S c[3];\n"
                   "shared mat4 d;\nshared bool e;\n",
                   "a[1] = x[1]; b[0] = vec3(a[1]); c[0].a = b[0].x; d[0][0] = c[0].a;"
                   "e = d[0][0] > 1.0; x[0] = e ? 1.0 : 0.0;");
    EXPECT_EQ(sharedMemoryBytes(spirv), 40u + 24u + 36u + 64u + 4u);
}

TEST(SharedMemory, AppliesSpecializationConstants) {
    const auto spirv =
        shaderWith("layout(constant_id = 1) const uint N = 16;\n"
                   "shared float tile[N * (N + 1)];\nshared float halves[N / 2][4];\n"
                   "shared float each[gl_WorkGroupSize.x * 2];\n",
                   "tile[gl_LocalInvocationIndex] = x[0]; halves[0][0] = 1.0; each[0] = 2.0;\n"
                   "x[1] = tile[1] + halves[0][0] + each[0];");
    EXPECT_EQ(sharedMemoryBytes(spirv), 4u * (16 * 17 + 8 * 4 + 1 * 2));
    EXPECT_EQ(sharedMemoryBytes(spirv, {{0, 64}, {1, 32}}), 4u * (32 * 33 + 16 * 4 + 64 * 2));
    EXPECT_EQ(sharedMemoryBytes(spirv, {{1, 4}}), 4u * (4 * 5 + 2 * 4 + 2));
}

TEST(SharedMemory, CountsBlocksOnce) {
    kp::CompileOptions options;
    options.vulkanVersion = test::vulkan(2);
    const auto spirv = shaderWith("#extension GL_EXT_shared_memory_block : require\n"
                                  "shared A { uint a[16]; };\nshared B { vec4 b[8]; };\n",
                                  "a[0] = 1u; x[0] = b[1].x; x[1] = float(a[1]);", options);
    EXPECT_EQ(sharedMemoryBytes(spirv), 8u * 16);
}

TEST(SharedMemory, EvaluatesSignedExpressions) {
    const auto spirv = shaderWith(
        "layout(constant_id = 1) const int N = -8;\nlayout(constant_id = 2) const bool B = true;\n"
        "shared float a[-N / 2];\nshared float b[(N >> 1) + 5 + ~N];\n"
        "shared float c[N < 0 && !B ? 100 : 3];\nshared float d[N % 3 + 9];\n",
        "a[0] = b[0] = c[0] = d[0] = x[1]; x[0] = a[0] + b[0] + c[0] + d[0];");
    EXPECT_EQ(sharedMemoryBytes(spirv, {{1, 0xfffffff8u}}), 4u * (4 + 8 + 3 + 10))
        << "% has the sign of its second operand";
}

TEST(PrivateArrays, CountAllThatAnInvocationHas) {
    EXPECT_EQ(privateBytes(shaderWith("float g;\n", "float y; vec4 v; mat4 m = mat4(x[1]);\n"
                                                    "y = x[0]; v = vec4(y); x[0] = m[int(y)][1];")),
              0u)
        << "they are not arrays";
    EXPECT_EQ(privateBytes(shaderWith("struct S { float a; float b[3]; };\nS g[2];\n",
                                      "float y[100]; y[int(x[0])] = x[1]; g[0].a = y[1];"
                                      "x[2] = y[int(x[0])] + g[1].b[int(x[0])];")),
              400u + 32u);
    const std::string function =
        "float f(float v) { float y[10]; y[int(v)] = v; return y[int(v) / 2]; }\n";
    EXPECT_EQ(privateBytes(shaderWith(function, "x[0] = 1.0;")), 0u) << "it is not called";
    EXPECT_EQ(privateBytes(shaderWith("", "x[0] = 1.0;")), 0u);
}

TEST(PrivateArrays, CountTheArraysOfFunctionsOncePerCall) {
    const auto spirv =
        kp::compile("#version 450\nlayout(binding = 0) buffer X { float x[]; };\n"
                    "float f(float v) { float y[10]; y[int(v)] = v; return y[int(x[0])]; }\n"
                    "float g(float v) { float z[5]; z[int(v)] = f(v); return z[int(f(x[1]))]; }\n"
                    "float unused(float v) { float y[1000]; y[int(v)] = v; return y[int(x[0])]; }\n"
                    "void main() { x[0] = f(1.0) + g(2.0) + g(3.0); }\n");
    EXPECT_EQ(privateBytes(spirv), 5u * 40 + 2u * 20);
}

TEST(PrivateArrays, CountTablesOnce) {
    const std::string uses = "x[0] = t[int(x[1])] + t[int(x[2])] + t[int(x[3])];";
    EXPECT_EQ(privateBytes(shaderWith("const float t[4] = float[](1.0, 2.0, 3.0, 4.0);\n", uses)),
              16u);
    EXPECT_EQ(privateBytes(shaderWith("", "float t[4] = float[](1.0, 2.0, 3.0, 4.0);\n"
                                          "float u[4] = float[](1.0, 2.0, 3.0, 4.0);\n"
                                          "t[int(x[0])] = u[int(x[1])] = 1.0;\n" +
                                              uses)),
              32u)
        << "these change";
}

TEST(PrivateArrays, ApplySpecializationConstants) {
    const auto spirv = shaderWith("layout(constant_id = 1) const uint N = 16;\n",
                                  "float y[N * 2]; y[int(x[0])] = x[1]; x[2] = y[int(x[3])];");
    EXPECT_EQ(privateBytes(spirv), 128u);
    EXPECT_EQ(privateBytes(spirv, {{1, 1'000'000'000}}), 8'000'000'000u);
}

TEST(PrivateArrays, AreUnknownIfTheirSizeIs) {
    const auto spirv = shaderWith("#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                                  "layout(constant_id = 1) const uint64_t N = 16ul;\n"
                                  "const int C = int(N * 2ul);\n",
                                  "float y[C]; y[int(x[0])] = x[1]; x[2] = y[int(x[3])];");
    EXPECT_EQ(privateBytes(spirv), std::nullopt);
}

TEST(SharedMemory, SurvivesDamagedModules) {
    EXPECT_THROW(sharedMemoryBytes(std::vector<uint32_t>{1, 2, 3}), ShaderError);
    // Damaged or truncated anywhere: a result or a ShaderError, but no crash.
    const auto spirv = shaderWith("layout(constant_id = 1) const uint N = 16;\n"
                                  "shared float tile[N * 2];\n",
                                  "tile[0] = x[0]; x[1] = tile[0];");
    for (size_t words = 0; words < spirv.size(); ++words)
        for (const uint32_t damage : {0u, 0xffffffffu, 0x00040017u}) {
            auto damaged = spirv;
            damaged[words] = damage;
            try {
                sharedMemoryBytes(damaged);
                privateArrayBytes(parseSpirv(damaged), 4);
            } catch (const ShaderError&) {
            }
        }
    for (size_t words = 0; words < spirv.size(); ++words)
        try {
            sharedMemoryBytes(std::span(spirv).first(words));
        } catch (const ShaderError&) {
        }
}

} // namespace
} // namespace kp::shader
