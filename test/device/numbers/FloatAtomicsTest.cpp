// SPDX-License-Identifier: Apache-2.0
//
// Atomics of floats with the device's instructions and, where it has none, with loops.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

constexpr const char* kWithout = "shaderBufferFloat32Atomics,shaderBufferFloat32AtomicAdd,"
                                 "shaderSharedFloat32Atomics,shaderSharedFloat32AtomicAdd";

class FloatAtomicsTest : public ::testing::TestWithParam<const char*> {
protected:
    /// Runs 256 invocations, of 32 each.
    std::vector<float> run(const std::string& body, std::vector<float> values) {
        AlgorithmOptions options;
        options.emulateTypes = true;
        const auto tensor = manager.tensor(values);
        const auto algorithm =
            manager.algorithm({tensor},
                              spirv("#version 450\n"
                                    "#extension GL_EXT_shader_atomic_float : require\n"
                                    "#extension GL_EXT_shader_atomic_float2 : require\n"
                                    "layout(local_size_x = 32) in;\n"
                                    "layout(binding = 0) buffer X { float x[]; };\n"
                                    "shared float tile[2];\n"
                                    "void main() {\nuint i = gl_GlobalInvocationID.x;\n" +
                                    body + "\n}\n"),
                              {8, 1, 1}, {}, {}, options);
        manager.sequence()
            ->record<OpSyncDevice>({tensor})
            ->record<OpAlgoDispatch>(algorithm)
            ->record<OpSyncLocal>({tensor})
            ->eval();
        return tensor->vector();
    }

    const ScopedEnvironment without{"KOMPUTE_WITHOUT", GetParam()};
    Manager manager;
};

TEST_P(FloatAtomicsTest, AddEachValueOnce) {
    EXPECT_EQ(run("atomicAdd(x[i % 2], float(i));", {0, 0.5, 7}),
              (std::vector<float>{16256, 16384.5, 7}));
}

TEST_P(FloatAtomicsTest, ReturnTheValueBefore) {
    // Each invocation takes a place of its own.
    const auto places = run("x[1 + uint(atomicAdd(x[0], 1.0))] += 1.0;", std::vector<float>(257));
    EXPECT_EQ(places[0], 256);
    for (size_t i = 1; i < places.size(); ++i)
        EXPECT_EQ(places[i], 1) << i;
}

TEST_P(FloatAtomicsTest, AddInSharedMemory) {
    EXPECT_EQ(run("if (gl_LocalInvocationID.x < 2) tile[gl_LocalInvocationID.x] = 0.25;\n"
                  "barrier();\n"
                  "atomicAdd(tile[i % 2], 1.5);\n"
                  "barrier();\n"
                  "if (gl_LocalInvocationID.x == 0) x[gl_WorkGroupID.x] = tile[0] + tile[1];",
                  std::vector<float>(9, 3)),
              (std::vector<float>{48.5, 48.5, 48.5, 48.5, 48.5, 48.5, 48.5, 48.5, 3}));
}

TEST_P(FloatAtomicsTest, ExchangeValues) {
    // The element holds the last value, and each other one was returned once.
    const auto found = run("float before = atomicExchange(x[0], float(i + 1));\n"
                           "x[1 + uint(before)] += 1.0;",
                           std::vector<float>(258));
    for (size_t i = 0; i <= 256; ++i)
        EXPECT_EQ(found[1 + i], static_cast<float>(i) == found[0] ? 0 : 1) << i;
}

TEST_P(FloatAtomicsTest, KeepTheSmallestAndTheLargestNumber) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto found =
        run("atomicMin(x[0], 100.0 - float(i));\n"
            "atomicMax(x[1], i == 7 ? uintBitsToFloat(0x7fc00000u) : -5.0 - float(i));\n"
            "atomicMax(x[2], float(i));\n"
            "atomicMin(x[3], -1.0);",
            {50, -100, nan, -2});
    EXPECT_EQ(found, (std::vector<float>{-155, -5, 255, -2}));
}

INSTANTIATE_TEST_SUITE_P(, FloatAtomicsTest, ::testing::Values("", kWithout),
                         [](const auto& info) { return info.index == 0 ? "Native" : "Emulated"; });

} // namespace
} // namespace kp::test
