// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/shader-interface.md. Each block of that page is a part of this file, apart from
// whitespace.
#include "DocsSupport.hpp"
#include "TestSupport.hpp"

namespace kp::test {
namespace {

using ShaderInterfaceDocsTest = DeviceTest;

TEST_F(ShaderInterfaceDocsTest, RunsTheCodeOnSubgroups) {
    if (manager.deviceInfo().maxSubgroupSize == 0 || !hasFeature(manager, "computeFullSubgroups"))
        GTEST_SKIP() << "no subgroup size can be required";
    auto sizes = manager.tensorT<uint32_t>({0});
    const auto spirv = test::spirv(R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 128) in;
layout(binding = 0) writeonly buffer Sizes { uint sizes[]; };
void main() { if (gl_LocalInvocationIndex == 0) sizes[0] = gl_SubgroupSize; })");
    // clang-format off
kp::AlgorithmOptions options;
options.subgroupSize = manager.deviceInfo().minSubgroupSize;  // a power of two, up to maxSubgroupSize
options.fullSubgroups = true;                                 // no subgroup lacks invocations
auto algorithm = manager.algorithm({sizes}, spirv, {1}, {}, {}, options);
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*sizes)[0], options.subgroupSize);
}

TEST_F(ShaderInterfaceDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/shader-interface.md", "test/device/ShaderInterfaceDocsTest.cpp", 1);
}

} // namespace
} // namespace kp::test
