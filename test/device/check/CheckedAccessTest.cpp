// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

constexpr const char* kWritesTwoFurther = R"(#version 450
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i + 2] = x[i] + 1;
}
)";

class CheckedAccess : public ::testing::Test {
protected:
    /// Dispatches a shader with the tensors of 8 floats.
    std::vector<CheckFault> run(const std::string& glsl, const std::vector<float>& push = {},
                                uint32_t groups = 1) {
        const auto algorithm =
            manager.algorithm(reinterpreted({a, b}), spirvWithLines(glsl), {groups, 1, 1},
                              std::vector<float>{}, push, checkedOptions());
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    }

    Manager manager;
    std::shared_ptr<TensorT<float>> a = manager.tensor({1, 2, 3, 4, 5, 6, 7, 8});
    std::shared_ptr<TensorT<float>> b = manager.tensor({0, 0, 0, 0, 0, 0, 0, 0});
};

TEST_F(CheckedAccess, NamesTheLineIndexAndInvocationOfAWrite) {
    const std::vector<CheckFault> faults = run(kWritesTwoFurther, {}, 2);
    ASSERT_EQ(faults.size(), 2u);
    const CheckFault& fault = faults[0].index == 8 ? faults[0] : faults[1];
    EXPECT_EQ(fault.kind, "write");
    EXPECT_EQ(fault.file, "planted.comp");
    EXPECT_EQ(fault.line, 7u);
    EXPECT_EQ(fault.text, "y[i + 2] = x[i] + 1;");
    EXPECT_EQ(fault.target, "y");
    EXPECT_EQ(fault.memory, "binding 1 'Y', a tensor of 8 eFloat");
    EXPECT_EQ(fault.index, 8);
    EXPECT_EQ(fault.extent, 8u);
    EXPECT_EQ(fault.value, "8");
    EXPECT_EQ(fault.globalInvocation, (std::array<uint32_t, 3>{6, 0, 0}));
    EXPECT_EQ(fault.localInvocation, (std::array<uint32_t, 3>{2, 0, 0}));
}

TEST_F(CheckedAccess, StillWritesWhatIsInside) {
    const auto algorithm = manager.algorithm({a, b}, spirvWithLines(kWritesTwoFurther), {2, 1, 1},
                                             {}, {}, checkedOptions());
    EXPECT_THROW(manager.sequence()->eval<OpAlgoDispatch>(algorithm), CheckFailed);
    manager.sequence()->eval<OpSyncLocal>({b});
    EXPECT_EQ(b->vector(), (std::vector<float>{0, 0, 2, 3, 4, 5, 6, 7}));
}

TEST_F(CheckedAccess, CountsWhatItDoesNotKeep) {
    const auto algorithm = manager.algorithm({a, b}, spirvWithLines(kWritesTwoFurther),
                                             {1000, 1, 1}, {}, {}, checkedOptions());
    try {
        manager.sequence()->eval<OpAlgoDispatch>(algorithm);
        FAIL() << "nothing was thrown";
    } catch (const CheckFailed& failed) {
        EXPECT_EQ(failed.count(), 3994u + 3992u);
        EXPECT_EQ(failed.code(), ErrorCode::eCheckFailed);
        EXPECT_LE(failed.faults().size(), 64u);
        EXPECT_NE(std::string(failed.what()).find("planted.comp:7"), std::string::npos)
            << failed.what();
    }
    const auto fine = manager.algorithm({a, b}, spirvWithLines(kWritesTwoFurther), {1, 1, 1}, {},
                                        {}, checkedOptions());
    EXPECT_NO_THROW(manager.sequence()->eval<OpAlgoDispatch>(fine));
}

TEST_F(CheckedAccess, ReadsOutsideGiveZero) {
    const std::vector<CheckFault> faults = run(R"(#version 450
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
    y[0] = 5;
    y[0] = x[int(x[0]) - 2];
}
)");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "read");
    EXPECT_EQ(faults[0].line, 6u);
    EXPECT_EQ(faults[0].index, -1);
    manager.sequence()->eval<OpSyncLocal>({b});
    EXPECT_EQ(b->vector()[0], 0);
}

// SwiftShader reads at such an index even in a branch that no invocation takes.
TEST_F(CheckedAccess, FarIndicesDoNotReachTheDriver) {
    const std::vector<CheckFault> faults = run(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
    for (int k = 0; k < 4; ++k)
        y[1000000000] += x[k];
}
)");
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].line, 7u);
    EXPECT_EQ(faults[0].index, 1000000000);
    manager.sequence()->eval<OpSyncLocal>({b});
    EXPECT_EQ(b->vector(), std::vector<float>(8));
}

TEST_F(CheckedAccess, FindsSharedMemoryAndLocalArrays) {
    const std::vector<CheckFault> faults = run(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
shared float tile[8];
void main() {
    uint i = gl_LocalInvocationID.x;
    tile[i + 1] = x[i];
    barrier();
    float local[4] = {1, 2, 3, 4};
    y[i] = tile[i] + local[i / 2 + 1];
}
)");
    ASSERT_EQ(faults.size(), 3u);
    const bool tileFirst = faults[0].target == "tile";
    const CheckFault& tile = faults[tileFirst ? 0 : 1];
    EXPECT_EQ(tile.memory, "shared memory");
    EXPECT_EQ(tile.line, 8u);
    EXPECT_EQ(tile.index, 8);
    const CheckFault& local = faults[tileFirst ? 1 : 0];
    EXPECT_EQ(local.target, "local");
    EXPECT_EQ(local.line, 11u);
    EXPECT_EQ(local.index, 4);
    EXPECT_EQ(local.extent, 4u);
}

TEST_F(CheckedAccess, FindsArraysInBlocksAndComponents) {
    const std::vector<CheckFault> faults = run(R"(#version 450
struct Item { vec3 at; float mass[2]; };
layout(binding = 0) readonly buffer X { float x[4]; vec4 rest; } x;
layout(binding = 1, std430) buffer Y { Item items[]; } y;
layout(push_constant) uniform P { float k; };
void main() {
    int n = int(k);
    y.items[0].mass[n] = x.x[n] + x.rest[n];
}
)",
                                               {5});
    std::vector<std::string> targets;
    for (const CheckFault& fault : faults)
        targets.push_back(fault.target);
    EXPECT_EQ(targets, (std::vector<std::string>{"x.x", "x.rest", "y.items[].mass"}));
}

TEST_F(CheckedAccess, FindsAtomics) {
    const std::vector<CheckFault> faults = run(R"(#version 450
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { uint y[]; };
void main() { atomicAdd(y[uint(x[7])], 1u); }
)");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "atomic");
    EXPECT_EQ(faults[0].index, 8);
}

TEST_F(CheckedAccess, FindsElementsOfDescriptorArrays) {
    const auto c = manager.tensor({1, 2});
    const auto spirv = spirvWithLines(R"(#version 450
layout(binding = 0) buffer Y { float y[]; } y[2];
layout(set = 2, binding = 4) buffer Z { float z[]; };
layout(push_constant) uniform P { float k; };
layout(constant_id = 0) const int SHIFT = 0;
void main() {
    z[0] = y[0].y[int(k) + SHIFT] + y[1].y[int(k)];
}
)");
    const auto algorithm = manager.algorithm({a, c, b}, spirv, {1, 1, 1}, std::vector<int>{6},
                                             std::vector<float>{2}, checkedOptions());
    const std::vector<CheckFault> faults =
        faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0].index, 8);
    EXPECT_EQ(faults[0].extent, 8u);
    EXPECT_EQ(faults[1].index, 2);
    EXPECT_EQ(faults[1].extent, 2u);
}

TEST_F(CheckedAccess, WorksWithoutDebugInformation) {
    const CheckScope unchecked("off"); // checked mode compiles with lines
    CompileOptions plain;
    plain.debugInfo = false;
    const auto algorithm = manager.algorithm({a, b}, compile(kWritesTwoFurther, plain), {2, 1, 1},
                                             {}, {}, checkedOptions());
    const std::vector<CheckFault> faults =
        faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].line, 0u);
    EXPECT_EQ(faults[0].memory, "binding 1 'Y', a tensor of 8 eFloat");
}

/// Writes element 3 i of a buffer of 8 floats, and reads shared memory beyond its end.
constexpr const char* kHlsl = R"(
RWStructuredBuffer<float> y : register(u0);
groupshared float tile[4];
[numthreads(4, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
    tile[i.x] = y[i.x];
    GroupMemoryBarrierWithGroupSync();
    y[i.x * 3] = tile[i.x + 1];
}
)";

class CheckedLanguage : public ::testing::TestWithParam<ShaderLanguage> {};

TEST_P(CheckedLanguage, HasTheLineOfTheSource) {
    Manager manager;
    const auto y = manager.tensor(std::vector<float>(8));
    const CheckScope scope;
    CompileOptions options;
    options.language = GetParam();
    options.fileName = "planted";
    std::vector<uint32_t> spirv;
    try {
        spirv = compile(kHlsl, options);
    } catch (const Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    const auto algorithm = manager.algorithm({y}, spirv, {1, 1, 1});
    const auto faults = faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    ASSERT_EQ(faults.size(), 2u);
    for (const CheckFault& fault : faults) {
        EXPECT_EQ(fault.line, 7u);
        EXPECT_EQ(fault.text, "y[i.x * 3] = tile[i.x + 1];");
        EXPECT_EQ(fault.index, fault.kind == "read" ? 4 : 9);
        EXPECT_EQ(fault.target, fault.kind == "read" ? "tile" : "y");
        EXPECT_EQ(fault.globalInvocation[0], 3u);
    }
}

INSTANTIATE_TEST_SUITE_P(Languages, CheckedLanguage,
                         ::testing::Values(ShaderLanguage::eHlsl, ShaderLanguage::eSlang));

TEST_F(CheckedAccess, ComparesCoordinatesOfImages) {
    const auto image = manager.imageT<float>(4, 3, 1);
    const auto counts = manager.imageT<uint32_t>(8, 1, 1);
    const auto faultsWith = [&](const std::string& body) {
        const std::string glsl = "#version 450\n"
                                 "layout(binding = 0, r32f) uniform image2D picture;\n"
                                 "layout(binding = 1, r32ui) uniform uimage2D counts;\n"
                                 "void main() {\n" +
                                 body + "\n}\n";
        const auto algorithm = manager.algorithm({image, counts}, spirvWithLines(glsl), {1, 1, 1},
                                                 {}, {}, checkedOptions());
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    };
    EXPECT_TRUE(faultsWith("imageStore(picture, ivec2(3, 2), imageLoad(picture, ivec2(0)));\n"
                           "imageAtomicAdd(counts, ivec2(7, 0), 1u);")
                    .empty());
    std::vector<CheckFault> faults = faultsWith("imageStore(picture, ivec2(1, 3), vec4(1));");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "write");
    EXPECT_EQ(faults[0].line, 5u);
    EXPECT_EQ(faults[0].target, "picture along y");
    EXPECT_EQ(faults[0].index, 3);
    EXPECT_EQ(faults[0].extent, 3u);
    EXPECT_NE(faults[0].memory.find("binding 0 'picture'"), std::string::npos) << faults[0].memory;
    faults = faultsWith("imageStore(picture, ivec2(0), imageLoad(picture, ivec2(-1, 0)));");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "read");
    EXPECT_EQ(faults[0].index, -1);
    faults = faultsWith("imageAtomicAdd(counts, ivec2(8, 0), 1u);\n"
                        "imageStore(picture, ivec2(0), vec4(0));");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "atomic");
    EXPECT_EQ(faults[0].target, "counts along x");
}

// As programs have them that were saved on a device without integers of 64 bits.
TEST_F(CheckedAccess, IndicesInTwoWordsAreComparedWhole) {
    const auto faults = run(R"(#version 450
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
int kp_narrow(const ivec2 wide) { return wide.x; }
void main() {
    int i = int(gl_GlobalInvocationID.x);
    y[kp_narrow(ivec2(i, i / 3))] = x[kp_narrow(ivec2(i, -(i / 3)))];
}
)");
    ASSERT_EQ(faults.size(), 2u);
    for (const CheckFault& fault : faults) {
        EXPECT_EQ(fault.index,
                  fault.kind == "write" ? (int64_t{1} << 32) + 3 : 3 - (int64_t{1} << 32));
        EXPECT_EQ(fault.globalInvocation[0], 3u);
    }
    EXPECT_NE(faults[0].kind, faults[1].kind);
}

} // namespace
} // namespace kp::test
