// SPDX-License-Identifier: Apache-2.0
#include "device/memory/SampledImageSupport.hpp"

namespace kp::test {
namespace {

TEST_F(SampledImageTest, NamesFormatsInBothForms) {
    EXPECT_EQ(kp::formatNamed("rgba8unorm"), kp::Format::eR8G8B8A8Unorm);
    EXPECT_EQ(kp::formatNamed("R8G8B8A8_UNORM"), kp::Format::eR8G8B8A8Unorm);
    EXPECT_EQ(kp::formatNamed("rg16float"), kp::Format::eR16G16Sfloat);
    EXPECT_EQ(kp::formatNamed("r32sint"), kp::Format::eR32Sint);
    EXPECT_EQ(kp::formatNamed("rgba8srgb"), kp::Format::eR8G8B8A8Srgb);
    EXPECT_EQ(kp::toString(kp::Format::eR16G16Snorm), "R16G16_SNORM");
    EXPECT_EQ(kp::channelsOf(kp::Format::eR16G16Snorm), 2u);
    EXPECT_EQ(kp::dataTypeOf(kp::Format::eR16G16Snorm), kp::Memory::DataTypes::eShort);
}

/// result[i] = texel i of a volume or of layers, counted by rows.
std::string fetchAll(const std::string& type) {
    return R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform )" +
           type + R"( image;
layout(binding = 1) writeonly buffer Result { float result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    ivec3 size = textureSize(image, 0);
    ivec3 at = ivec3(i % size.x, i / size.x % size.y, i / (size.x * size.y));
    result[i] = texelFetch(image, at, 0).r;
}
)";
}

TEST_F(SampledImageTest, HoldsVolumesAndLayersInTheOrderOfRows) {
    kp::SamplerOptions nearest;
    nearest.filter = kp::Filter::eNearest;
    const auto sampler = manager.sampler(nearest);
    for (const bool layered : {false, true}) {
        kp::ImageOptions options = flat(kp::Format::eR32Sfloat, 5, 3);
        options.type = layered ? kp::ImageType::e2DArray : kp::ImageType::e3D;
        (layered ? options.layers : options.depth) = 4;
        auto volume = manager.imageT(ascending<float>(60), options);
        auto result = manager.tensor(std::vector<float>(60));
        const auto code = fetchAll(layered ? "sampler2DArray" : "sampler3D");
        EXPECT_EQ(run({volume, result}, code, result, {sampler}, 60), ascending<float>(60));
        auto sequence = manager.sequence();
        volume->setData(ascending<float>(60, 7));
        sequence->eval<kp::OpSyncDevice>({volume});
        auto copy = manager.imageT<float>(options);
        sequence->eval<kp::OpCopy>({volume, copy});
        EXPECT_EQ(onDevice<float>(*copy), ascending<float>(60, 7));
        auto tensor = manager.tensor(std::vector<float>(60));
        sequence->eval<kp::OpCopy>({copy, tensor});
        EXPECT_EQ(tensor->vector(), ascending<float>(60, 7));
        auto other = manager.imageT<float>(flat(kp::Format::eR32Sfloat, 15, 4));
        EXPECT_ERROR(kp::InvalidArgument, layered ? "5 x 3 in 4 layers" : "5 x 3 x 4",
                     sequence->eval<kp::OpCopy>({copy, other}));
    }
}

TEST_F(SampledImageTest, TransfersLargeVolumesInPieces) {
    // More than a chunk of staging, with slices that chunks cut.
    kp::ImageOptions options = flat(kp::Format::eR8Uint, 509, 251);
    options.type = kp::ImageType::e3D;
    options.depth = 67;
    const std::vector<uint8_t> texels = randomBytes(509 * 251 * 67);
    options.memoryType = kp::Memory::MemoryTypes::eStorage;
    auto volume = manager.imageT(texels, options);
    EXPECT_EQ(onDevice<uint8_t>(*volume), texels);
    options.type = kp::ImageType::e2DArray;
    std::swap(options.depth, options.layers);
    auto layers = manager.imageT(texels, options);
    EXPECT_EQ(onDevice<uint8_t>(*layers), texels);
}

TEST_F(SampledImageTest, HoldsLinesAndLayersOfLines) {
    kp::ImageOptions options = line(kp::Format::eR32Uint, 6);
    auto single = manager.imageT(ascending<uint32_t>(6), options);
    EXPECT_EQ(onDevice<uint32_t>(*single), ascending<uint32_t>(6));
    options.type = kp::ImageType::e1DArray;
    options.layers = 3;
    auto several = manager.imageT(ascending<uint32_t>(18), options);
    const auto code = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage1DArray x;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(x, at, imageLoad(x, at) * 2u);
})");
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({several}, code, {6, 3}));
    std::vector<uint32_t> doubled = ascending<uint32_t>(18);
    for (uint32_t& each : doubled)
        each *= 2;
    EXPECT_EQ(several->vector(), doubled);
}

TEST_F(SampledImageTest, NormalisesWhatShadersSee) {
    const std::string code = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) writeonly buffer Result { float result[]; };
void main() { result[gl_GlobalInvocationID.x] =
    texelFetch(image, ivec2(gl_GlobalInvocationID.xy), 0).r; })";
    kp::SamplerOptions nearest;
    nearest.filter = kp::Filter::eNearest;
    const auto sampler = manager.sampler(nearest);
    auto result = manager.tensor({0, 0});
    const auto seen = [&](const std::shared_ptr<kp::Image>& image) {
        return run({image, result}, code, result, {sampler}, 2);
    };
    auto unorm8 = manager.imageT(std::vector<uint8_t>{51, 255}, flat(kp::Format::eR8Unorm, 2, 1));
    EXPECT_NEAR(seen(unorm8)[0], 0.2f, 1e-6f);
    EXPECT_EQ(seen(unorm8)[1], 1);
    auto snorm8 = manager.imageT(std::vector<int8_t>{-127, 127}, flat(kp::Format::eR8Snorm, 2, 1));
    EXPECT_EQ(seen(snorm8), (std::vector<float>{-1, 1}));
    try {
        auto unorm16 =
            manager.imageT(std::vector<uint16_t>{13107, 65535}, flat(kp::Format::eR16Unorm, 2, 1));
        EXPECT_NEAR(seen(unorm16)[0], 0.2f, 1e-6f);
        auto snorm16 =
            manager.imageT(std::vector<int16_t>{-32767, 0}, flat(kp::Format::eR16Snorm, 2, 1));
        EXPECT_EQ(seen(snorm16), (std::vector<float>{-1, 0}));
    } catch (const kp::Unsupported&) {
    }
    auto srgb = manager.imageT(std::vector<uint8_t>{188, 0, 0, 255, 255, 0, 0, 255},
                               flat(kp::Format::eR8G8B8A8Srgb, 2, 1));
    EXPECT_NEAR(seen(srgb)[0], 0.503f, 0.005f); // 188 is half of the light
    EXPECT_EQ(seen(srgb)[1], 1);
}

TEST_F(SampledImageTest, StoresNormalisedTexels) {
    auto image =
        manager.imageT(std::vector<uint8_t>(8, 100), flat(kp::Format::eR8G8B8A8Unorm, 2, 1));
    const auto code = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, rgba8) uniform image2D x;
void main() { imageStore(x, ivec2(gl_GlobalInvocationID.xy), vec4(1.0, 0.2, 7.0, -1.0)); })");
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({image}, code, {1}));
    EXPECT_EQ(image->vector(), (std::vector<uint8_t>{255, 51, 255, 0, 100, 100, 100, 100}));
    // rgba8 is not what shaders take for the integers of rgba8ui.
    auto integers = manager.imageT(std::vector<uint8_t>(8), flat(kp::Format::eR8G8B8A8Uint, 2, 1));
    EXPECT_ERROR(kp::ShaderError, "declared with format R8G8B8A8_UNORM",
                 manager.algorithm({integers}, code, {1}));
}

template <typename T>
class ThreeChannels : public DeviceTest {};
using ChannelTypes = ::testing::Types<uint8_t, int16_t, float, kp::Half>;
TYPED_TEST_SUITE(ThreeChannels, ChannelTypes);

TYPED_TEST(ThreeChannels, HaveAFourthOnTheDeviceAlone) {
    std::vector<TypeParam> texels(3 * 15);
    for (size_t i = 0; i < texels.size(); ++i)
        texels[i] = TypeParam(static_cast<float>(i));
    for (const auto type : kMemoryTypes) {
        SCOPED_TRACE(kp::Memory::toString(type));
        std::shared_ptr<kp::ImageT<TypeParam>> image;
        try {
            image = this->manager.template imageT<TypeParam>(texels, 5, 3, 3, type);
        } catch (const kp::Unsupported&) {
            continue; // no linear images
        }
        EXPECT_EQ(image->getNumChannels(), 3u);
        EXPECT_EQ(image->size(), 45u);
        EXPECT_EQ(image->memorySize(), 45 * sizeof(TypeParam));
        EXPECT_EQ(kp::channelsOf(image->getOptions().format), 4u);
        EXPECT_EQ(onDevice<TypeParam>(*image), texels);
        auto sequence = this->manager.sequence();
        if (type != kp::Memory::MemoryTypes::eStorage) {
            EXPECT_EQ(image->vector(), texels);
            EXPECT_EQ((*image)[7], texels[7]);
            // The fourth channel is 1.
            auto four = this->manager.template imageT<TypeParam>(5, 3, 4);
            sequence->template eval<kp::OpSyncDevice>({image});
            sequence->template eval<kp::OpCopy>({image, four});
            EXPECT_EQ(four->vector()[3], TypeParam(1.0f));
            EXPECT_EQ(four->vector()[4], texels[3]);
            std::vector<TypeParam> reversed(texels.rbegin(), texels.rend());
            image->setData(reversed);
            sequence->template eval<kp::OpSyncDevice>({image});
            EXPECT_EQ(onDevice<TypeParam>(*image), reversed);
            image->upload(texels);
            sequence->template eval<kp::OpSyncLocal>({image});
            EXPECT_EQ(image->vector(), texels);
        }
        auto copy = this->manager.template imageT<TypeParam>(5, 3, 3);
        sequence->template eval<kp::OpCopy>({image, copy});
        EXPECT_EQ(copy->vector(), texels);
        auto tensor = this->manager.template tensorT<TypeParam>(45);
        EXPECT_ERROR(kp::InvalidArgument, "an image of 3 channels has 4",
                     sequence->template eval<kp::OpCopy>({image, tensor}));
        // A copy launcher moves the host's texels.
        std::vector<TypeParam> host(45);
        kp::CopyLauncher("fetch", image, host)()->wait();
        EXPECT_EQ(host, texels);
    }
}

TEST_F(SampledImageTest, ReadsPicturesOfThreeChannels) {
    kp::ImageOptions options = flat(kp::Format::eR8G8B8A8Unorm, 2, 1);
    options.channels = 3;
    auto picture = manager.imageT(std::vector<uint8_t>{255, 0, 51, 0, 255, 0}, options);
    const auto code = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, rgba8) uniform image2D x;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 texel = imageLoad(x, at);
    imageStore(x, at, vec4(texel.a - texel.rgb, 0.5));
})");
    auto invert = manager.algorithm({picture}, code, {2});
    manager.sequence()->eval<kp::OpAlgoDispatch>(invert);
    EXPECT_EQ(picture->vector(), (std::vector<uint8_t>{0, 255, 204, 255, 0, 255}));
}

} // namespace
} // namespace kp::test
