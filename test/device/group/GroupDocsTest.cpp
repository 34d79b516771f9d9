// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/groups.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <kompute/Group.hpp>

#include "device/DocsSupport.hpp"
#include "device/group/GroupSupport.hpp"

namespace kp::test {
namespace {

TEST(GroupDocsTest, RunsTheCodeOnEveryGpu) {
    // clang-format off
kp::DeviceGroup group;                             // every GPU
auto values = std::make_shared<kp::Buffer>(group, std::vector<uint64_t>{1 << 20});
std::vector<float> data(1 << 20, 2.0f);
values->write(data);                               // to every device

kp::GroupKernel square(group, "square", R"(#version 450
    layout(local_size_x = 64) in;
    layout(binding = 0) buffer V { float v[]; };
    void main() {
        uint i = gl_GlobalInvocationID.x;
        if (i < v.length()) v[i] *= v[i];
    })", {values});
square();                                          // on every device, at once
values->allReduce();                               // after the kernels, between the devices
std::vector<float> sum = values->read<float>(0);   // waits; 4 times the number of devices
    // clang-format on
    EXPECT_EQ(sum, std::vector<float>(1 << 20, 4 * static_cast<float>(group.size())));
}

using GroupDocsOnTwoTest = GroupTest;

TEST_F(GroupDocsOnTwoTest, RunsTheCodeOnPrimitives) {
    // clang-format off
kp::BufferOptions sharded;
sharded.placement = kp::BufferPlacement::eSharded;
kp::Buffer keys(group, {6}, kp::Memory::DataTypes::eFloat, sharded);
kp::Buffer largest(group, {});
keys.write(std::vector<float>{5, 3, 8, 1, 9, 2});
group.sort(keys);
group.reduce(keys, largest, kp::ReduceOperation::eMaximum);
keys.read<float>();      // {1, 2, 3, 5, 8, 9}
largest.read<float>(0);  // {9}
    // clang-format on
    EXPECT_EQ(keys.read<float>(), (std::vector<float>{1, 2, 3, 5, 8, 9}));
    EXPECT_EQ(largest.read<float>(0), std::vector<float>{9});
}

TEST_F(GroupDocsOnTwoTest, RunsTheCodeOnMoves) {
    // clang-format off
auto from = group[0].tensorT<float>({1, 2, 3, 4}, kp::Memory::MemoryTypes::eDevice);
auto to = group[1].tensorT<float>({5, 6, 7, 8}, kp::Memory::MemoryTypes::eDevice);
kp::moveBetween(group, {{from, 0, 8, to, 1, 0, 8}}); // from byte 8 of device 0 to byte 0 of device 1, 8 bytes
    // clang-format on
    std::vector<float> moved(4);
    to->download(moved.data(), 16);
    EXPECT_EQ(moved, (std::vector<float>{3, 4, 7, 8}));
}

TEST(GroupDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/groups.md", "test/device/group/GroupDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test
