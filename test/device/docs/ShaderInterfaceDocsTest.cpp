// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/reference/shader-interface.md. Each block of that page is a part of this file,
// apart from whitespace.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

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

TEST_F(ShaderInterfaceDocsTest, RunsTheCodeOnRobustAccess) {
    if (checking())
        GTEST_SKIP() << "its kernel leaves the memory on purpose";
    auto line = manager.tensor({1, 2, 3, 4});
    const auto spirv = test::spirv(
        shader(buffer(0, "", "float", "v"), "float next = v[i + 1]; barrier(); v[i] += next;"));
    try {
        // clang-format off
kp::AlgorithmOptions robust;
robust.robustAccess = true;
auto neighbours = manager.algorithm({line}, spirv, {4}, {}, {}, robust);
        // clang-format on
        manager.sequence()->eval<kp::OpAlgoDispatch>(neighbours);
        EXPECT_EQ(line->vector()[3], 4);
    } catch (const kp::Unsupported& error) {
        EXPECT_NE(std::string(error.what()).find("robust"), std::string::npos);
    }
}

TEST_F(ShaderInterfaceDocsTest, RunsTheCodeOnSetsAndArrays) {
    auto result = manager.tensor({0, 0});
    auto back = manager.tensor({4, 8});
    auto front = manager.tensor({0, 4});
    // clang-format off
const char* const blend = R"(#version 450
    layout(local_size_x = 1) in;
    layout(set = 0, binding = 1) writeonly buffer Result { float result[]; };
    layout(set = 1, binding = 0) readonly buffer Layer { float values[]; } layers[2];
    void main() {
        uint i = gl_GlobalInvocationID.x;
        result[i] = 0.25 * layers[0].values[i] + 0.75 * layers[1].values[i];
    })";
auto blended = manager.algorithm({result, back, front}, manager.compile(blend));
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(blended);
    EXPECT_EQ(result->vector(), (std::vector<float>{1, 5}));
}

TEST_F(ShaderInterfaceDocsTest, RunsTheCodeOnUniformBlocks) {
    auto values = manager.tensor({1, 2, 3, 4});
    auto settings = manager.tensor({1, 10, 1, 10, 0, 0, 5, 5});
    // clang-format off
const char* const scaled = R"(#version 450
    layout(local_size_x = 1) in;
    layout(binding = 0) buffer Values { float values[]; };
    layout(binding = 1) uniform Settings { vec4 factors; vec4 offsets; };
    void main() {
        uint i = gl_GlobalInvocationID.x;
        values[i] = values[i] * factors[i % 4] + offsets[i % 4];
    })";
auto scale = manager.algorithm({values, settings}, manager.compile(scaled));
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(scale);
    EXPECT_EQ(values->vector(), (std::vector<float>{1, 20, 8, 45}));
}

TEST_F(ShaderInterfaceDocsTest, RunsTheCodeOnBufferAddresses) {
    if (!hasFeature(manager, "bufferDeviceAddress"))
        GTEST_SKIP() << "the device has no buffer addresses";
    auto tensor = manager.tensor({1, 2, 3});
    // clang-format off
const char* const doubling = R"(#version 450
    #extension GL_EXT_buffer_reference : require
    layout(local_size_x = 1) in;
    layout(buffer_reference, std430) buffer Numbers { float values[]; };
    layout(push_constant) uniform Parameters { Numbers numbers; };
    void main() { numbers.values[gl_GlobalInvocationID.x] *= 2.0; })";
kp::AlgorithmOptions reach;
reach.addressed = {tensor};
const std::vector<uint64_t> addresses = {tensor->deviceAddress()};
auto doubled = manager.algorithm({}, manager.compile(doubling), {3}, std::vector<float>(), addresses, reach);
    // clang-format on
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(doubled)
        ->record<kp::OpAlgoDispatch>(doubled)
        ->eval();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{4, 8, 12}));
}

TEST_F(ShaderInterfaceDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/reference/shader-interface.md",
                     "test/device/docs/ShaderInterfaceDocsTest.cpp", 5);
}

} // namespace
} // namespace kp::test
