// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/images.md. Each block of that page is a part of this file, apart from
// whitespace.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using ImagesDocsTest = DeviceTest;

TEST_F(ImagesDocsTest, RunsTheCodeOnPictures) {
    std::vector<uint8_t> pixels(6 * 4 * 3);
    for (size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = i / 3 % 6 < 3 ? 0 : 200;
    // clang-format off
const char* const half = R"(#version 450
    layout(local_size_x = 1) in;
    layout(binding = 0) uniform sampler2D picture;
    layout(binding = 1, rgba8) uniform writeonly image2D small;
    void main() {
        ivec2 at = ivec2(gl_GlobalInvocationID.xy);
        vec2 where = (vec2(at) + 0.5) / vec2(imageSize(small));
        imageStore(small, at, textureLod(picture, where, 0.0));
    })";
kp::ImageOptions size;
size.width = 6;
size.height = 4;
size.channels = 3;
size.format = kp::Format::eR8G8B8A8Unorm;
auto picture = manager.imageT(pixels, size); // a std::vector<uint8_t> of 6 x 4 x 3
size.width = 3;
size.height = 2;
auto small = manager.imageT<uint8_t>(size);
kp::AlgorithmOptions options;
options.samplers = {manager.sampler()};
auto halve = manager.algorithm({picture, small}, manager.compile(half), {3, 2}, {}, {}, options);
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(halve);
    EXPECT_EQ(small->vector()[0], 0);
    EXPECT_NEAR(small->vector()[3], 100, 1);
    EXPECT_EQ(small->vector()[6], 200);
}

TEST_F(ImagesDocsTest, RunsTheCodeOnVolumesAndSamplers) {
    // clang-format off
kp::ImageOptions cube;
cube.type = kp::ImageType::e3D;
cube.width = cube.height = 32;
cube.depth = 4;
cube.format = kp::Format::eR32Sfloat;
auto volume = manager.imageT<float>(cube);

kp::SamplerOptions tiled;
tiled.address = {kp::AddressMode::eRepeat, kp::AddressMode::eRepeat, kp::AddressMode::eRepeat};
auto sampler = manager.sampler(tiled); // filters linearly
    // clang-format on
    EXPECT_EQ(volume->size(), 4096u);
    EXPECT_EQ(sampler->getOptions().filter, kp::Filter::eLinear);
}

TEST_F(ImagesDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/images.md", "test/device/docs/ImagesDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test
