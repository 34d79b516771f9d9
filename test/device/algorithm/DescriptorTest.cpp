// SPDX-License-Identifier: Apache-2.0
//
// Shaders with several descriptor sets, arrays of descriptors, and uniform blocks.
#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class DescriptorTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> numbers(const std::vector<uint32_t>& values) {
        return manager.tensorT<uint32_t>(values);
    }
    void run(const std::shared_ptr<kp::Algorithm>& algorithm) {
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    }
};

/// Sets 0, 1 and 3; set 2 is empty. The bindings have gaps.
const char* const kSets = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 3, binding = 0) readonly buffer D { uint d[]; };
layout(set = 1, binding = 4) readonly buffer C { uint c[]; };
layout(set = 0, binding = 2) writeonly buffer A { uint a[]; };
layout(set = 1, binding = 1) readonly buffer B { uint b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = 100 * b[i] + 10 * c[i] + d[i];
}
)";

/// out[k] = 10 * in[0][k] + in[1][k] for each of two outputs, which get the inputs in another
/// order.
const char* const kArrays = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer In { uint v[]; } given[3];
layout(binding = 1) writeonly buffer Out { uint v[]; } results[2];
layout(push_constant) uniform P { uint first; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[0].v[i] = 100 * given[0].v[i] + 10 * given[1].v[i] + given[2].v[i];
    results[1].v[i] = given[first].v[i];
}
)";

TEST_F(DescriptorTest, TakesMemoryInTheOrderOfSetsAndBindings) {
    auto a = numbers({0, 0});
    auto algorithm = manager.algorithm({a, numbers({1, 2}), numbers({3, 4}), numbers({5, 6})},
                                       spirv(kSets), {2});
    run(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*a), (std::vector<uint32_t>{135, 246}));
    algorithm->setMemObjects({a, numbers({7, 7}), numbers({8, 8}), numbers({9, 9})});
    run(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*a), (std::vector<uint32_t>{789, 789}));
}

TEST_F(DescriptorTest, KeepsTheSetsOfAlternatingAlgorithmsApart) {
    auto a = numbers({0});
    auto b = numbers({0});
    auto sum = numbers({0});
    const auto code = spirv(kSets);
    auto first = manager.algorithm({a, numbers({1}), numbers({1}), numbers({1})}, code, {1});
    auto second = manager.algorithm({b, a, a, numbers({2})}, code, {1});
    auto plain = manager.algorithm({b, sum}, copyShader(), {1});
    auto sequence = manager.sequence();
    for (int i = 0; i < 3; ++i)
        sequence->record<kp::OpAlgoDispatch>(first)
            ->record<kp::OpAlgoDispatch>(second)
            ->record<kp::OpAlgoDispatch>(plain);
    sequence->eval();
    EXPECT_EQ(onDevice<uint32_t>(*sum), (std::vector<uint32_t>{110 * 111 + 2}));
}

TEST_F(DescriptorTest, OrdersDispatchesThatShareAnyElement) {
    if (!hasFeature(manager, "shaderStorageBufferArrayDynamicIndexing"))
        GTEST_SKIP() << "arrays need a constant index";
    auto x = numbers({1});
    auto y = numbers({2});
    auto z = numbers({3});
    auto out = numbers({0});
    auto other = numbers({0});
    const auto code = spirv(kArrays);
    auto algorithm = manager.algorithm<float, uint32_t>({x, y, z, out, other}, code, {1}, {}, {2});
    auto next = manager.algorithm<float, uint32_t>({other, out, x, z, y}, code, {1}, {}, {1});
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpAlgoDispatch>(next)
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->eval();
    // out = 123, other = 3; z = 300 + 1230 + 1, y = 123; out = 100 + 1230 + z, other = z.
    EXPECT_EQ(onDevice<uint32_t>(*z)[0], 1531u);
    EXPECT_EQ(onDevice<uint32_t>(*out)[0], 2861u);
    EXPECT_EQ(onDevice<uint32_t>(*other)[0], 1531u);
}

TEST_F(DescriptorTest, LaunchesKernelsWithAnArgumentPerElement) {
    if (!hasFeature(manager, "shaderStorageBufferArrayDynamicIndexing"))
        GTEST_SKIP() << "arrays need a constant index";
    const kp::Kernel kernel(manager, kArrays);
    std::vector<std::string> names;
    for (const kp::KernelArgument& argument : kernel.signature().arguments())
        names.push_back(argument.name);
    EXPECT_EQ(names, (std::vector<std::string>{"given[0]", "given[1]", "given[2]", "results[0]",
                                               "results[1]", "first"}));
    auto out = numbers({0});
    auto other = numbers({0});
    kp::KernelOptions options;
    options.globalSize = 1;
    kp::KernelLauncher launcher(
        "digits", kernel, {numbers({1}), numbers({2}), numbers({3}), out, other, 1u}, options);
    launcher()->wait();
    EXPECT_EQ(onDevice<uint32_t>(*out)[0], 123u);
    EXPECT_EQ(onDevice<uint32_t>(*other)[0], 2u);
    EXPECT_ERROR(kp::InvalidArgument, "given[1]",
                 kp::KernelLauncher(
                     "digits", kernel,
                     {numbers({1}), manager.tensor({2}), numbers({3}), out, other, 1u}, options));
}

TEST_F(DescriptorTest, BindsImagesInArraysAndFurtherSets) {
    const auto code = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(set = 1, binding = 0, r32ui) uniform readonly uimage2D given[2];
layout(set = 1, binding = 3) writeonly buffer Out { uint v[]; };
void main() { v[0] = 10 * imageLoad(given[0], ivec2(1, 0)).x + imageLoad(given[1], ivec2(0)).x; })");
    auto first = manager.imageT<uint32_t>({1, 2}, 2, 1, 1);
    auto second = manager.imageT<uint32_t>({3, 4}, 2, 1, 1);
    auto out = numbers({0});
    manager.sequence()->eval<kp::OpSyncDevice>({first, second});
    run(manager.algorithm({first, second, out}, code, {1}));
    EXPECT_EQ(onDevice<uint32_t>(*out)[0], 23u);
    EXPECT_ERROR(kp::ShaderError, "element 1 of binding 0 of set 1 'given' is declared as an image",
                 manager.algorithm({first, out, out}, code, {1}));
}

TEST_F(DescriptorTest, RefusesAnotherNumberOfObjectsWithTheirOrder) {
    for (const auto& [name, values] : kp::deviceFacts(manager).limits)
        if (name == "maxPerStageDescriptorStorageBuffers" && values[0] < 5)
            GTEST_SKIP() << "the device binds fewer buffers";
    auto t = numbers({0});
    EXPECT_ERROR(kp::ShaderError, "takes 4 memory objects",
                 manager.algorithm({t, t, t}, spirv(kSets)));
    EXPECT_ERROR(kp::ShaderError,
                 "(0: binding 2 'A', 1: binding 1 of set 1 'B', 2: binding 4 of set 1",
                 manager.algorithm({t, t, t, t, t}, spirv(kSets)));
    EXPECT_ERROR(kp::ShaderError, "0 to 2: binding 0 'given', 3 to 4: binding 1 'results'",
                 manager.algorithm({t, t}, spirv(kArrays)));
    EXPECT_ERROR(
        kp::ShaderError, "element 2 of binding 0 'given' is declared as a buffer",
        manager.algorithm({t, t, manager.imageT<uint32_t>(1, 1, 1), t, t}, spirv(kArrays)));
    const auto endless = spirv("#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n"
                               "layout(local_size_x = 1) in;\n"
                               "layout(binding = 0) buffer B { uint v[]; } all[];\n"
                               "void main() { all[gl_WorkGroupID.x].v[0] = 1; }");
    EXPECT_ERROR(kp::ShaderError, "fixed length", manager.algorithm({t}, endless));
    const auto farSet = spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                              "layout(set = 60, binding = 0) buffer B { uint v[]; };\n"
                              "void main() { v[0] = 1; }");
    EXPECT_ERROR(kp::ShaderError, "maxBoundDescriptorSets", manager.algorithm({t}, farSet));
}

TEST_F(DescriptorTest, ReadsUniformBlocks) {
    const auto code = spirv(shader("layout(binding = 1) uniform U { uint first; uvec3 rest; };" +
                                       buffer(0, "writeonly", "uint", "v"),
                                   "v[i] = first + rest.z;"));
    auto v = numbers({0});
    auto block = numbers({1, 0, 0, 0, 2, 3, 4, 99});
    run(manager.algorithm({v, block}, code));
    EXPECT_EQ(onDevice<uint32_t>(*v)[0], 5u);
    EXPECT_ERROR(kp::ShaderError, "28 bytes", manager.algorithm({v, numbers({1, 2})}, code));
    // Only the block's bytes count, not the tensor's.
    auto large = manager.tensorT<uint32_t>(1 << 20);
    manager.sequence()->eval<kp::OpFill>({large}, 7u);
    run(manager.algorithm({v, large}, code));
    EXPECT_EQ(onDevice<uint32_t>(*v)[0], 14u);
}

TEST_F(DescriptorTest, OrdersAWriteBeforeItIsReadAsAUniformBlock) {
    auto v = numbers({0, 0, 0, 0});
    auto block = numbers({1, 2, 3, 4});
    auto add = manager.algorithm({block}, addShader(10));
    auto read =
        manager.algorithm({v, block}, spirv(shader("layout(binding = 1) uniform U { uvec4 u; };" +
                                                       buffer(0, "writeonly", "uint", "v"),
                                                   "v[i] = u[i];")));
    manager.sequence()->record<kp::OpAlgoDispatch>(add)->record<kp::OpAlgoDispatch>(read)->eval();
    EXPECT_EQ(onDevice<uint32_t>(*v), (std::vector<uint32_t>{11, 12, 13, 14}));
}

TEST_F(DescriptorTest, RefusesDataThatLacksThePaddingOfUniformArrays) {
    const auto code = spirv(shader("layout(binding = 1) uniform U { uint u[3]; };" +
                                       buffer(0, "writeonly", "uint", "v"),
                                   "v[i] = u[i];"));
    auto v = numbers({0, 0, 0});
    EXPECT_ERROR(kp::ShaderError, "std140", manager.algorithm({v, numbers({1, 2, 3})}, code));
    // Enough bytes, but most likely not in the places that the shader reads.
    EXPECT_ERROR(kp::ShaderError, "uints, 16 bytes each",
                 manager.algorithm({v, manager.tensorT<uint32_t>(100)}, code));
    run(manager.algorithm({v, numbers({1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0})}, code));
    EXPECT_EQ(onDevice<uint32_t>(*v), (std::vector<uint32_t>{1, 2, 3}));
    const auto vectors = spirv(shader("layout(binding = 1) uniform U { uvec4 u[2]; };" +
                                          buffer(0, "writeonly", "uint", "v"),
                                      "v[i] = u[1][i];"));
    run(manager.algorithm({v, numbers({1, 2, 3, 4, 5, 6, 7, 8, 9})}, vectors));
    EXPECT_EQ(onDevice<uint32_t>(*v), (std::vector<uint32_t>{5, 6, 7}));
}

TEST_F(DescriptorTest, RefusesUniformBlocksOverTheLimit) {
    const auto code = spirv(shader("layout(binding = 1) uniform U { uvec4 u[0x1000000]; };" +
                                       buffer(0, "writeonly", "uint", "v"),
                                   "v[i] = u[i].x;"));
    auto v = numbers({0});
    EXPECT_ERROR(kp::ShaderError, "maxUniformBufferRange", manager.algorithm({v, v}, code));
}

} // namespace
} // namespace kp::test
