// SPDX-License-Identifier: Apache-2.0
#include "shader/atomics/FloatAtomics.hpp"

#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "../ShaderTestTools.hpp"
#include "shader/Validate.hpp"
#include "shader/lower/LowerModule.hpp"

namespace kp::shader {
namespace {

using test::vulkan;

NumberSupport without(bool buffers, bool shared) {
    NumberSupport support;
    support.floatAtomics = {buffers, shared};
    return support;
}

std::vector<uint32_t> withAtomics(const std::string& declarations, const std::string& body,
                                  uint32_t minor = 1) {
    CompileOptions options;
    options.vulkanVersion = vulkan(minor);
    return kp::compile("#version 450\n"
                       "#extension GL_EXT_shader_atomic_float : require\n"
                       "#extension GL_EXT_shader_atomic_float2 : require\n"
                       "#extension GL_KHR_memory_scope_semantics : require\n"
                       "#extension GL_EXT_buffer_reference : require\n"
                       "layout(local_size_x = 4) in;\n" +
                           declarations + "\nvoid main() {\nuint i = gl_GlobalInvocationID.x;\n" +
                           body + "\n}\n",
                       options);
}

const std::string kBuffer = "struct Cell { vec3 place; float mass; int count; mat2 turn; };\n"
                            "layout(binding = 0) buffer A { Cell first; float a[]; };\n"
                            "layout(binding = 1) buffer B { float b[]; };\n"
                            "shared float tile[4];\n";

void expectReplaced(const std::string& declarations, const std::string& body) {
    for (const uint32_t minor : {1u, 2u, 3u}) {
        const std::vector<uint32_t> spirv = withAtomics(declarations, body, minor);
        const NumberSupport support = without(false, false);
        ASSERT_TRUE(needsLowering(spirv, support)) << body;
        const LoweredModule lowered = lowerModule(spirv, support);
        EXPECT_FALSE(needsLowering(lowered.spirv, support)) << body;
        EXPECT_NO_THROW(validate(lowered.spirv, vulkan(minor), true)) << body;
    }
}

TEST(FloatAtomics, StayWhereTheDeviceHasThem) {
    const auto add = withAtomics(kBuffer, "atomicAdd(a[i], b[i]);");
    EXPECT_FALSE(needsLowering(add, NumberSupport()));
    EXPECT_TRUE(needsLowering(add, without(false, true)));
    EXPECT_FALSE(needsLowering(withAtomics(kBuffer, "atomicAdd(first.count, 1); a[i] = b[i];"),
                               without(false, false)));
    // The capability stays for additions that the device has.
    const auto both = withAtomics(kBuffer, "atomicAdd(a[i], 1.0); atomicAdd(tile[i], 1.0);");
    EXPECT_TRUE(needsLowering(lowerModule(both, without(true, false)).spirv, without(false, true)));
}

TEST(FloatAtomics, BecomeValidLoops) {
    expectReplaced(kBuffer, "b[i] = atomicAdd(a[i], b[i + 1]);");
    expectReplaced(kBuffer, "atomicAdd(first.mass, 1.0); atomicAdd(first.place[i % 3], a[i]);");
    expectReplaced(kBuffer, "tile[i] = b[i]; barrier(); atomicAdd(tile[i & 3], tile[0]);"
                            "barrier(); b[i] = tile[i];");
    expectReplaced(kBuffer, "b[i] = atomicExchange(a[i], 2.0) + atomicMin(a[i], 1.0)"
                            " + atomicMax(tile[i], b[i]);");
    expectReplaced(kBuffer, "atomicStore(a[i], atomicLoad(a[i + 1], gl_ScopeDevice, 0, 0) + 1.0,"
                            " gl_ScopeDevice, 0, 0);");
    expectReplaced("shared float sum;", "sum = 0.0; barrier(); atomicAdd(sum, 1.0);");
}

TEST(FloatAtomics, LeaveTheRestOfTheBufferAsItIs) {
    expectReplaced(kBuffer, "atomicAdd(first.mass, 1.0);"
                            "Cell copy = first; copy.place.x += copy.mass; first = copy;"
                            "first.turn[0] = vec2(1); atomicAdd(first.count, 2);"
                            "first.place.xy = vec2(a.length());");
    expectReplaced("shared vec4 tile[4]; layout(binding = 0) buffer A { vec4 a[]; };",
                   "vec4 all[4] = tile; atomicAdd(tile[i].y, 1.0); a[i] = all[0]; tile = all;");
}

TEST(FloatAtomics, ReachBuffersByAddress) {
    const std::string address = "layout(buffer_reference) buffer Sums { float sums[]; };\n"
                                "layout(push_constant) uniform P { Sums at; } p;\n";
    expectReplaced(address, "atomicAdd(p.at.sums[i], 1.0); p.at.sums[0] += 1.0;"
                            "atomicExchange(p.at.sums[i], 2.0);");
}

TEST(FloatAtomics, OfMinimaAndMaximaAreReplacedOnEveryDevice) {
    const auto spirv = withAtomics(kBuffer, "atomicMin(a[i], b[i]); atomicAdd(b[i], 1.0);");
    ASSERT_TRUE(needsLowering(spirv, NumberSupport()));
    const auto lowered = lowerModule(spirv, NumberSupport()).spirv;
    EXPECT_FALSE(needsLowering(lowered, NumberSupport()));
    EXPECT_TRUE(needsLowering(lowered, without(false, false))) << "the addition is the device's";
    EXPECT_NO_THROW(validate(lowered, vulkan(1), true));
    // The device adds floats, and not words.
    const auto same = withAtomics(kBuffer, "atomicMin(a[i], b[i]); atomicAdd(a[i], 1.0);");
    const auto words = lowerModule(same, NumberSupport()).spirv;
    EXPECT_FALSE(needsLowering(words, without(false, false)));
    EXPECT_NO_THROW(validate(words, vulkan(1), true));
}

} // namespace
} // namespace kp::shader
