// SPDX-License-Identifier: Apache-2.0
#include "device/group/GroupSupport.hpp"

namespace kp::test {
namespace {

using kp::BufferPlacement;
using DataTypes = kp::Memory::DataTypes;
using GroupKernelTest = GroupTest;

/// Writes every variable that the library gives to a kernel about its shard.
const char* const kDescribe = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer V { uint v[]; };
layout(push_constant) uniform P {
    uint kp_shard_index; uint kp_shard_count; uint kp_shard_offset;
    uvec3 kp_shard_shape; ivec2 kp_whole_shape; uint base;
};
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint all[10] = uint[](kp_shard_index, kp_shard_count, kp_shard_offset, kp_shard_shape.x,
                          kp_shard_shape.y, kp_shard_shape.z, uint(kp_whole_shape.x),
                          uint(kp_whole_shape.y), base, i);
    if (i < 9) v[i] = all[i];
})";

TEST_F(GroupKernelTest, ReceivesTheShardOfItsDevice) {
    auto buffer = makeBuffer(group, {5, 3, 4}, DataTypes::eUnsignedInt, BufferPlacement::eSharded);
    kp::GroupKernelOptions options;
    std::vector<uint64_t> sizes;
    options.globalSize = [&](const kp::Shard& shard) {
        sizes.push_back(shard.size());
        return kp::WorkSize(9);
    };
    kp::GroupKernel describe(group, "describe", kDescribe, {buffer, uint32_t{77}}, options);
    EXPECT_EQ(sizes, (std::vector<uint64_t>{36, 24}));
    EXPECT_EQ(describe().size(), 2u);
    auto first = buffer->read<uint32_t>(0);
    auto second = buffer->read<uint32_t>(1);
    first.resize(9);
    second.resize(9);
    EXPECT_EQ(first, (std::vector<uint32_t>{0, 2, 0, 4, 3, 3, 4, 15, 77}));
    EXPECT_EQ(second, (std::vector<uint32_t>{1, 2, 3, 4, 3, 2, 4, 15, 77}));
}

TEST_F(GroupKernelTest, RunsOnOneDeviceOrOnAny) {
    auto buffer = makeBuffer(group, {64});
    buffer->write(std::vector<float>(64, 0));
    kp::GroupKernel add(group, "add", kGroupScale, {buffer, 1.0f, 1.0f});
    EXPECT_EQ(add.name(), "add");
    EXPECT_EQ(add({}, {}, kp::GroupTarget::queue(1)).size(), 1u);
    EXPECT_EQ(buffer->read<float>(0)[0], 0);
    EXPECT_EQ(buffer->read<float>(1)[0], 1);
    for (int i = 0; i < 6; ++i)
        kp::Event::waitAll(add({}, {}, kp::GroupTarget::any()));
    const float sum = buffer->read<float>(0)[0] + buffer->read<float>(1)[0];
    EXPECT_EQ(sum, 7);
    EXPECT_GT(buffer->read<float>(0)[0], 0);
}

TEST_F(GroupKernelTest, SkipsShardsWithoutRows) {
    auto buffer = makeBuffer(group, {3}, {}, BufferPlacement::eSharded, {3, 0});
    buffer->write(std::vector<float>{1, 2, 3});
    kp::GroupKernel add(group, "add", kGroupScale, {buffer, 1.0f, 1.0f});
    const auto events = add();
    EXPECT_EQ(events.size(), 2u);
    EXPECT_TRUE(events[1].done());
    kp::Event::waitAll(events);
    EXPECT_EQ(buffer->read<float>(), (std::vector<float>{2, 3, 4}));
    EXPECT_ERROR(kp::InvalidArgument, "no rows", add.launcher(1));
    // Its launchers can be added to lists.
    kp::KernelListLauncher list("list");
    list += add.launcher(0);
    list += add.launcher(0);
    list(group.queue(0)).wait();
    EXPECT_EQ(buffer->read<float>(), (std::vector<float>{4, 5, 6}));
}

TEST_F(GroupKernelTest, RejectsWrongArguments) {
    auto buffer = makeBuffer(group, {64});
    EXPECT_ERROR(kp::InvalidArgument, "none of the kernel's 3",
                 kp::GroupKernel(group, "add", kGroupScale, {buffer, 1.0f, 1.0f, 1.0f}));
    EXPECT_ERROR(kp::InvalidArgument, "argument 1",
                 kp::GroupKernel(group, "add", kGroupScale, {buffer, 1, 1.0f}));
    EXPECT_ERROR(kp::InvalidArgument, "add", kp::GroupKernel(group, "add", kGroupScale, {buffer}));
    EXPECT_ERROR(kp::InvalidArgument, "'nothing'",
                 kp::GroupKernel(group, "add", kGroupScale,
                                 {{"nothing", buffer}, {"scale", 1.0f}, {"add", 1.0f}}));
    EXPECT_ERROR(kp::InvalidArgument, "global size",
                 kp::GroupKernel(group, "add", kGroupScale, {1.0f, 1.0f}));
    kp::DeviceGroup other(groupOptions(2));
    EXPECT_ERROR(kp::InvalidArgument, "another device group",
                 kp::GroupKernel(other, "add", kGroupScale, {buffer, 1.0f, 1.0f}));
    EXPECT_THROW(kp::GroupKernel(group, "add", std::string("void main() {"), {buffer}),
                 kp::ShaderError);
    auto odd = makeBuffer(group, {65});
    EXPECT_ERROR(kp::InvalidArgument, "multiple", [&] {
        kp::GroupKernelOptions exact;
        exact.roundUp = false;
        kp::GroupKernel kernel(group, "add", kGroupScale, {odd, 1.0f, 1.0f}, exact);
        kernel();
    }());
    kp::GroupKernelOptions options;
    options.parameters = {{"scale", "scale"}};
    kp::GroupKernel scale(group, "scale", kGroupScale, {{0, buffer}, {"add", 0.0f}}, options);
    EXPECT_ERROR(kp::InvalidArgument, "scale", scale());
    EXPECT_ERROR(kp::InvalidArgument, "unknown", scale({}, {{"scale", 1.0f}, {"other", 1.0f}}));
    kp::Event::waitAll(scale({}, {{"scale", 1.0f}}));
}

TEST(GroupKernelCopies, MayBeSharedByQueuesForReadingOnly) {
    kp::DeviceGroupOptions options = groupOptions(1);
    options.queueCounts = {2};
    const kp::DeviceGroup group(options);
    auto own = makeBuffer(group, {4}, {}, BufferPlacement::eReplicatedByQueue);
    auto shared = makeBuffer(group, {4});
    own->write(std::vector<float>(4, 1));
    shared->write(std::vector<float>(4, 2));
    const char* const source = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
void main() { a[gl_GlobalInvocationID.x] += b[gl_GlobalInvocationID.x]; })";
    kp::GroupKernel add(group, "add", source, {own, shared});
    kp::Event::waitAll(add());
    EXPECT_EQ(own->read<float>(), std::vector<float>(8, 3));
    EXPECT_ERROR(kp::InvalidArgument, "argument 0 is written to on every queue",
                 kp::GroupKernel(group, "add", source, {shared, own}));
}

} // namespace
} // namespace kp::test
