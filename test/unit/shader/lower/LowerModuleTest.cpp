// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/LowerModule.hpp"

#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>
#include <kompute/shader/ShaderLibrary.hpp>

#include "../ShaderTestTools.hpp"
#include "shader/Validate.hpp"

namespace kp::shader {
namespace {

using test::vulkan;

constexpr NumberSupport kNone{false, false, false, false, false, false,
                              false, false, false, false, false};

std::vector<uint32_t> compiled(const std::string& declarations, const std::string& body,
                               uint32_t minor = 1) {
    CompileOptions options;
    options.vulkanVersion = vulkan(minor);
    return kp::compile("#version 450\n"
                       "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                       "#extension GL_EXT_shader_8bit_storage : require\n"
                       "#extension GL_EXT_shader_16bit_storage : require\n"
                       "#extension GL_EXT_shader_atomic_int64 : enable\n"
                       "layout(local_size_x = 1) in;\n" +
                           declarations + "\nvoid main() {\nuint i = gl_GlobalInvocationID.x;\n" +
                           body + "\n}\n",
                       options);
}

/// Expects a valid module that needs none of the types.
LoweredModule lowerValid(const std::vector<uint32_t>& spirv, uint32_t minor = 1) {
    EXPECT_TRUE(needsLowering(spirv, kNone));
    LoweredModule lowered = lowerModule(spirv, kNone);
    EXPECT_FALSE(needsLowering(lowered.spirv, kNone));
    EXPECT_NO_THROW(validate(lowered.spirv, vulkan(minor), true));
    return lowered;
}

const std::string kWide = "layout(binding = 0) buffer A { int64_t a[]; };\n"
                          "layout(binding = 1) buffer B { double b[]; };\n";
const std::string kNarrow = "layout(binding = 0) buffer A { uint8_t a[]; };\n"
                            "layout(binding = 1) buffer B { float16_t b[]; };\n";

TEST(LowerModule, LeavesModulesAloneWhoseTypesTheDeviceHas) {
    EXPECT_FALSE(needsLowering(compiled(kWide, "a[i] += int64_t(b[i]);"), NumberSupport()));
    EXPECT_FALSE(
        needsLowering(compiled("layout(binding = 0) buffer A { uint a[]; };", "a[i]++;"), kNone));
}

TEST(LowerModule, MakesValidModulesOfWideNumbers) {
    for (const uint32_t minor : {1u, 2u, 3u}) {
        const LoweredModule lowered =
            lowerValid(compiled(kWide,
                                "a[i] = a[i] * 3 - int64_t(b[i] / 2.0LF) % 7;\n"
                                "i64vec3 v = i64vec3(a[i], a[i + 1], 5).zyx;\n"
                                "dvec2 d = dvec2(b[i], 1) * 2.0LF; b[i] = d.x + dot(d, d);\n"
                                "for (int64_t k = 0; k < 3; ++k) a[uint(k)] += v.x;\n"
                                "if (a[i] > v.y) a[i] = a[i] == 0 ? v.z : ~a[i];",
                                minor),
                       minor);
        EXPECT_FALSE(lowered.wordBuffers);
    }
}

TEST(LowerModule, MakesValidModulesOfNarrowNumbers) {
    for (const uint32_t minor : {1u, 2u, 3u}) {
        const LoweredModule lowered = lowerValid(
            compiled(kNarrow + "shared uint8_t s[4]; shared f16vec4 t;\n",
                     "a[i] += uint8_t(3); b[i] = b[i] * b[i] + float16_t(a[i]);\n"
                     "s[i % 4] = a[i]; t = f16vec4(b[i]); barrier();\n"
                     "i8vec4 v = i8vec4(a[i]) + int8_t(1); a[i + 1] = uint8_t(v[i % 4]);\n"
                     "b[i + 1] = t.y + float16_t(s[1]);",
                     minor),
            minor);
        EXPECT_TRUE(lowered.wordBuffers);
    }
}

TEST(LowerModule, LowersUniformsAndPushConstants) {
    lowerValid(
        compiled("layout(binding = 0, std140) uniform A { uint8_t n; float16_t h; int64_t w; };\n"
                 "layout(push_constant) uniform P { uint16_t p; double d; uint8_t q[3]; };\n"
                 "layout(binding = 1) buffer B { double b[]; };\n",
                 "b[i] = double(n) + double(h) + double(w) + double(p) * d + double(q[i]);"));
}

TEST(LowerModule, LowersWhatIsReachedByAddress) {
    lowerValid(compiled("#extension GL_EXT_buffer_reference : require\n"
                        "layout(buffer_reference) buffer Link;\n"
                        "layout(buffer_reference) buffer Link { int64_t value; Link next; };\n"
                        "layout(push_constant) uniform P { Link first; } p;\n",
                        "p.first.next.value += p.first.value * 3;"));
}

TEST(LowerModule, SplitsSpecializationConstants) {
    const LoweredModule lowered = lowerValid(
        compiled("layout(constant_id = 3) const int64_t N = -5;\n" + kWide, "a[i] = N;"));
    ASSERT_EQ(lowered.constants.size(), 1u);
    EXPECT_EQ(lowered.constants[0].id, 3u);
    EXPECT_EQ(lowered.constants[0].bytes, 8u);
    EXPECT_NE(lowered.constants[0].high, 3u);
}

TEST(LowerModule, ImportsEachFunctionOnce) {
    const auto one = lowerModule(compiled(kWide, "a[i] = a[i] / 3;"), kNone);
    const auto two = lowerModule(compiled(kWide, "a[i] = a[i] / 3; a[i + 1] = a[i] / 5;"), kNone);
    EXPECT_LT(two.spirv.size(), one.spirv.size() + 100);
}

void expectRefused(const std::vector<uint32_t>& spirv, const std::string& part) {
    try {
        lowerModule(spirv, kNone);
        ADD_FAILURE() << "nothing was thrown for " << part;
    } catch (const ShaderError& error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(LowerModule, RefusesWhatItCannotReplace) {
    expectRefused(compiled(kWide, "atomicAdd(a[i], 1l);"), "atomics of 64 bits");
    expectRefused(compiled(kNarrow, "if (i < a.length()) a[i] = uint8_t(0);"), "length()");
    expectRefused(compiled("layout(binding = 0) buffer A { dmat2 m; };\n", "m[0][0] = 1.0LF;"),
                  "matrix");
}

TEST(LowerModule, InterpretsFunctionsThatDriversTakeTooLongToCompile) {
    NumberSupport support;
    support.float64 = false;
    const auto wordsOf = [&](std::string_view call, bool longFunctions) {
        support.longFunctions = longFunctions;
        LibraryText library;
        library.use(call, "dvec2");
        const LoweredModule lowered =
            lowerModule(compiled("layout(binding = 0) buffer A { dvec2 a[]; };\n" + library.text(),
                                 "dvec2 x = a[i]; a[i] = " + std::string(call) + ";"),
                        support);
        EXPECT_NO_THROW(validate(lowered.spirv, vulkan(1), true));
        return lowered.spirv;
    };
    EXPECT_EQ(wordsOf("kp_cmul(x, x)", false), wordsOf("kp_cmul(x, x)", true));
    for (const char* call : {"kp_cpow(x, x)", "kp_casin(x)", "kp_ctan(x)", "kp_clog1p(x)"})
        EXPECT_NE(wordsOf(call, false), wordsOf(call, true)) << call;
}

} // namespace
} // namespace kp::shader
