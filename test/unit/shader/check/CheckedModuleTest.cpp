// SPDX-License-Identifier: Apache-2.0
#include "shader/check/CheckedModule.hpp"

#include <gtest/gtest.h>

#include "shader/Validate.hpp"
#include "shader/reflect/Reflection.hpp"
#include "unit/shader/ShaderTestTools.hpp"

namespace kp::test {
namespace {

shader::CheckKinds allKinds() {
    shader::CheckKinds kinds;
    kinds.bounds = kinds.arithmetic = kinds.nan = true;
    kinds.steps = 1000;
    return kinds;
}

shader::CheckKinds raceKinds() {
    shader::CheckKinds kinds;
    kinds.races = true;
    return kinds;
}

/// Compiles a shader with lines and checks it; the result must be valid.
shader::CheckedModule checkedShader(const std::string& declarations, const std::string& body,
                                    uint32_t minor = 1,
                                    const shader::CheckKinds& kinds = allKinds()) {
    CompileOptions options;
    options.debugInfo = true;
    options.fileName = "planted.comp";
    options.vulkanVersion = vulkan(minor);
    shader::CheckedModule checked =
        shader::checkModule(compile(glsl(declarations, body), options), kinds);
    EXPECT_NO_THROW(shader::validate(checked.spirv, vulkan(minor)));
    return checked;
}

TEST(CheckedModule, IsTheSameIfNothingCanFail) {
    const std::vector<uint32_t> spirv = compile(
        glsl("layout(binding = 0) buffer Y { float y[4]; uint n; };", "y[3] = 1.0; n = n + 2u;"));
    const shader::CheckedModule checked = shader::checkModule(spirv, allKinds());
    EXPECT_TRUE(checked.sites.empty());
    EXPECT_EQ(checked.spirv, spirv);
}

TEST(CheckedModule, ComparesEachIndexThatAFunctionOfJitIsGiven) {
    const char* const element =
        "layout(binding = 0) buffer X { float x[]; };\n"
        "layout(push_constant) uniform P { int i; uint j; int rows; uint columns; };\n"
        "uint kp_element(const int i, const int n, const uint j, const uint m) {\n"
        "    return uint(i) * m + j;\n"
        "}";
    shader::CheckKinds bounds;
    bounds.bounds = true;
    for (const char* const body :
         {"x[kp_element(i, rows, j, columns)] = 1;", "x[kp_element(i, rows, j, columns)] += 1;"}) {
        const shader::CheckedModule checked = checkedShader(element, body, 1, bounds);
        ASSERT_FALSE(checked.sites.empty());
        EXPECT_EQ(checked.sites.back().indexed,
                  (std::vector<std::string>{"x along axis 0", "x along axis 1", "x"}));
    }
    const shader::CheckedModule plain =
        checkedShader("layout(binding = 0) buffer X { float x[]; };\n"
                      "uint kp_element(const float i) { return uint(i); }",
                      "x[kp_element(x[0])] = 1;", 1, bounds);
    EXPECT_EQ(plain.sites.back().indexed, std::vector<std::string>{"x"}) << "not its function";
}

TEST(CheckedModule, KeepsTheInterfaceAndAddsASetBehindIt) {
    const std::string declarations = "layout(set = 0, binding = 3) buffer Y { float y[]; };\n"
                                     "layout(set = 2, binding = 1) uniform U { float u[8]; };\n"
                                     "layout(push_constant) uniform P { int k; };\n"
                                     "layout(constant_id = 7) const int N = 3;";
    for (const uint32_t minor : {0u, 1u, 2u, 3u}) {
        const shader::CheckedModule checked =
            checkedShader(declarations, "y[k] = u[k + N];", minor);
        EXPECT_EQ(checked.reportSet, 3u);
        const shader::Reflection reflection = shader::reflect(checked.spirv);
        ASSERT_EQ(reflection.bindings.size(), 3u);
        EXPECT_EQ(reflection.bindings[0].binding, 3u);
        EXPECT_EQ(reflection.bindings[1].set, 2u);
        EXPECT_EQ(reflection.bindings[2].set, 3u);
        EXPECT_EQ(reflection.pushConstantSize, 4u);
        ASSERT_EQ(reflection.specConstants.size(), 1u);
        EXPECT_EQ(reflection.specConstants[0].id, 7u);
    }
}

TEST(CheckedModule, ConvertsNumbersThatFunctionsCannotTake) {
    const shader::CheckedModule checked =
        checkedShader("#extension GL_EXT_shader_8bit_storage : require\n"
                      "#extension GL_EXT_shader_16bit_storage : require\n"
                      "layout(binding = 0) buffer X { int8_t x[]; };\n"
                      "layout(binding = 1) buffer Y { u16vec2 y[]; };\n"
                      "layout(binding = 2) buffer Z { float16_t z[]; };\n"
                      "layout(push_constant) uniform P { int k; };",
                      "x[k] = int8_t(int(x[k + 1]) + 1);\ny[k] = u16vec2(uvec2(y[k + 1]));\n"
                      "z[k] = float16_t(float(z[k + 1]) * 2.0);",
                      3);
    EXPECT_GE(checked.sites.size(), 6u);
}

TEST(CheckedModule, NamesLinesAndMembers) {
    const shader::CheckedModule checked =
        checkedShader("struct Body { vec3 at; float mass[2]; };\n"
                      "layout(binding = 1) buffer Bodies { Body items[]; } bodies;\n"
                      "layout(push_constant) uniform P { int k; };",
                      "    bodies.items[k].mass[1] = 2.0;");
    ASSERT_EQ(checked.sites.size(), 1u);
    const shader::CheckSite& site = checked.sites[0];
    EXPECT_EQ(site.kind, shader::FaultKind::eWrite);
    EXPECT_EQ(site.file, "planted.comp");
    EXPECT_EQ(site.line, 8u);
    EXPECT_EQ(site.text, "bodies.items[k].mass[1] = 2.0;");
    EXPECT_EQ(site.binding, 1u);
    EXPECT_EQ(site.indexed, std::vector<std::string>{"bodies.items"});
}

TEST(CheckedModule, ChecksEachLoopThatCanEnd) {
    const shader::CheckedModule checked =
        checkedShader("layout(binding = 0) buffer Y { uint n; };",
                      "for (uint i = 0u; i < n; ++i)\n    n += i;\nwhile (n > 3u)\n    --n;\n"
                      "do { n += 2u; } while (n < 9u);");
    size_t loops = 0;
    for (const shader::CheckSite& site : checked.sites)
        loops += site.kind == shader::FaultKind::eSteps ? 1 : 0;
    EXPECT_EQ(loops, 3u);
}

TEST(CheckedModule, ComparesNumbersOfEachLayout) {
    const shader::CheckedModule checked = checkedShader(
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
        "#extension GL_EXT_scalar_block_layout : require\n"
        "#extension GL_KHR_shader_subgroup_basic : require\n"
        "layout(constant_id = 0) const uint N = 4;\n"
        "struct Cell { dvec2 d; u8vec4 bytes; f16vec2 halves; mat3x2 m; bool b; };\n"
        "struct Stored { dvec2 d; f16vec2 halves; mat3x2 m; };\n"
        "layout(scalar, binding = 0) buffer Y { uint8_t y[]; } out_;\n"
        "layout(binding = 1) buffer Z { layout(row_major) mat3x2 rows; Stored z[]; };\n"
        "shared Cell cells[3];\nshared float tile[N][N + 1u];",
        "uint i = gl_LocalInvocationIndex;\nout_.y[i] = uint8_t(i);\nz[i].m[i] = vec2(1.0);\n"
        "z[i].d = cells[i].d;\nz[i].halves.x = cells[0].halves.y;\ncells[i].b = i == 3u;\n"
        "cells[i].m = mat3x2(1.0);\ncells[i].d.y = 2.0LF;\ncells[1].halves = f16vec2(0.0);\n"
        "rows[i] = vec2(3.0);\nrows[1][i] = 2.0;\ncells[1].bytes[i] = "
        "uint8_t(3);\nsubgroupBarrier();\ntile[i][i] = tile[i + 1u][i];",
        3, raceKinds());
    ASSERT_EQ(checked.shadowed.size(), 2u);
    EXPECT_EQ(checked.shadowed[0].binding, 0u);
    EXPECT_EQ(checked.shadowed[0].elementBytes, 1u);
    EXPECT_EQ(checked.shadowed[1].elementBytes, 2u);
    EXPECT_TRUE(checked.shadowsShared);
    size_t races = 0;
    for (const shader::CheckSite& site : checked.sites)
        races += site.kind == shader::FaultKind::eRace ? 1 : 0;
    EXPECT_EQ(races, 15u);
}

TEST(CheckedModule, LeavesPointersAlone) {
    checkedShader("layout(binding = 0, r32f) uniform writeonly image2D images[3];\n"
                  "layout(binding = 3) uniform sampler2D textures[2];\n"
                  "layout(push_constant) uniform P { int k; };",
                  "imageStore(images[k], ivec2(0), textureLod(textures[k], vec2(0.0), 0.0));");
    const shader::CheckedModule addressed =
        checkedShader("#extension GL_EXT_buffer_reference : require\n"
                      "layout(buffer_reference) buffer R;\n"
                      "layout(buffer_reference) buffer R { float x[]; };\n"
                      "layout(binding = 0) buffer H { R heads[]; };\n"
                      "layout(push_constant) uniform P { int k; };",
                      "heads[k].x[k] = 1.0;", 3);
    EXPECT_FALSE(addressed.sites.empty()) << "the array of pointers has an extent";
}

TEST(CheckedModule, PutsZerosTogetherForStructsWithAddresses) {
    checkedShader("#extension GL_EXT_buffer_reference : require\n"
                  "layout(buffer_reference) buffer R { float x[]; };\n"
                  "struct Head { R next; R others[3]; uint count; };\n"
                  "layout(binding = 0) buffer H { Head heads[]; };\n"
                  "layout(push_constant) uniform P { int k; };",
                  "Head head = heads[k];\n"
                  "head.others[k].x[head.count] = head.next.x[0];",
                  3);
}

} // namespace
} // namespace kp::test
