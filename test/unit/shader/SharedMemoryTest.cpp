// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "ShaderTestTools.hpp"
#include "shader/SharedMemory.hpp"

namespace kp::shader {
namespace {

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
