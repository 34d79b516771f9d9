// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/reference/memory-types.md. Each block of that page is a part of this file, apart
// from whitespace.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using MemoryTypesDocsTest = DeviceTest;

TEST_F(MemoryTypesDocsTest, RunsTheCodeOnTheTypes) {
    // clang-format off
using Types = kp::Memory::MemoryTypes;

auto input = manager.tensor({1, 2, 3});                        // eDevice
auto scratch = manager.tensorT<float>(1 << 20, Types::eStorage);
auto settings = manager.tensorT<uint32_t>({10, 20}, Types::eHost);

settings->data()[0] = 11;           // the next evaluation sees it

std::vector<float> rows(1000, 1.0f);
scratch->upload(rows, 4096);        // from element 4096 on
scratch->download(rows, 4096);
    // clang-format on
    EXPECT_EQ(input->memoryType(), Types::eDevice);
    EXPECT_EQ(rows, std::vector<float>(1000, 1.0f));
    std::vector<float> edge(1);
    scratch->download(edge.data(), sizeof(float), 5095 * sizeof(float));
    EXPECT_EQ(edge[0], 1.0f);
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({settings}, addShader(1)));
    EXPECT_EQ(settings->vector(), (std::vector<uint32_t>{12, 21}));
}

TEST_F(MemoryTypesDocsTest, RunsTheCodeOnStructs) {
    // clang-format off
struct Particle {
    float position[3];
    uint32_t kind;
};

auto particles = manager.tensorT<Particle>(1000);
    // clang-format on
    EXPECT_EQ(particles->dataType(), kp::Memory::DataTypes::eCustom);
    const std::string declarations = "struct Particle { float position[3]; uint kind; };" +
                                     buffer(0, "writeonly", "Particle", "particles");
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm(
        {particles}, spirv(shader(declarations, "particles[i].position[2] = i / 2.0;"
                                                "particles[i].kind = i;"))));
    EXPECT_EQ(particles->data()[999].kind, 999u);
    EXPECT_EQ(particles->data()[999].position[2], 499.5f);
}

TEST_F(MemoryTypesDocsTest, RunsTheCodeOnImages) {
    // clang-format off
auto picture = manager.imageT<uint8_t>(64, 48, 4);   // width, height, channels
    // clang-format on
    EXPECT_EQ(picture->getOptions().width, 64u);
    EXPECT_EQ(picture->getOptions().height, 48u);
    EXPECT_EQ(picture->getNumChannels(), 4u);
    EXPECT_EQ(picture->size(), 64u * 48u * 4u);
}

TEST_F(MemoryTypesDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/reference/memory-types.md", "test/device/docs/MemoryTypesDocsTest.cpp",
                     3);
}

} // namespace
} // namespace kp::test
