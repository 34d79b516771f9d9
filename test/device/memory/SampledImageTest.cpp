// SPDX-License-Identifier: Apache-2.0
//
// Samplers, sampled images, dimensions and formats.
#include "device/memory/SampledImageSupport.hpp"

namespace kp::test {
namespace {

/// result[i] = the first channel at x = at[i], of a line of texels.
const char* const kSampleLine = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler1D line;
layout(binding = 1) readonly buffer At { float at[]; };
layout(binding = 2) writeonly buffer Result { float result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = textureLod(line, at[i], 0.0).r;
}
)";

TEST_F(SampledImageTest, FiltersAndAddressesAsTheSamplerSays) {
    const std::vector<uint8_t> texels{0, 255};
    auto values = manager.imageT(texels, line(kp::Format::eR8Unorm, 2));
    // Texel centres are at 0.25 and 0.75.
    auto at = manager.tensor({0.25f, 0.5f, 0.75f, 1.25f, 1.75f, -0.25f});
    auto result = manager.tensor(std::vector<float>(6));
    const auto sampled = [&](kp::Filter filter, kp::AddressMode mode, kp::BorderColor border = {}) {
        kp::SamplerOptions options;
        options.filter = filter;
        options.address = {mode, mode, mode};
        options.border = border;
        auto sampler = manager.sampler(options);
        EXPECT_EQ(sampler->getOptions().filter, filter);
        auto found = run({values, at, result}, kSampleLine, result, {sampler}, 6);
        for (float& each : found)
            each = std::round(each * 100) / 100;
        return found;
    };
    using Values = std::vector<float>;
    EXPECT_EQ(sampled(kp::Filter::eLinear, kp::AddressMode::eClampToEdge),
              (Values{0, 0.5f, 1, 1, 1, 0}));
    EXPECT_EQ(sampled(kp::Filter::eLinear, kp::AddressMode::eRepeat),
              (Values{0, 0.5f, 1, 0, 1, 1}));
    EXPECT_EQ(sampled(kp::Filter::eLinear, kp::AddressMode::eMirroredRepeat),
              (Values{0, 0.5f, 1, 1, 0, 0}));
    EXPECT_EQ(sampled(kp::Filter::eNearest, kp::AddressMode::eClampToBorder,
                      kp::BorderColor::eOpaqueWhite),
              (Values{0, 1, 1, 1, 1, 1}));
    EXPECT_EQ(sampled(kp::Filter::eNearest, kp::AddressMode::eClampToBorder),
              (Values{0, 1, 1, 0, 0, 0}));
}

TEST_F(SampledImageTest, TakesTexelsAsCoordinates) {
    auto values = manager.imageT(std::vector<float>{1, 2, 3, 4}, line(kp::Format::eR32Sfloat, 4));
    auto at = manager.tensor({0.5f, 1.5f, 3.9f, 9.0f});
    auto result = manager.tensor(std::vector<float>(4));
    kp::SamplerOptions options;
    options.filter = kp::Filter::eNearest;
    options.unnormalizedCoordinates = true;
    EXPECT_EQ(run({values, at, result}, kSampleLine, result, {manager.sampler(options)}, 4),
              (std::vector<float>{1, 2, 4, 4}));
}

TEST_F(SampledImageTest, SamplesSeparateImagesAndSamplers) {
    const std::string code = R"(#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2D left;
layout(binding = 1) uniform sampler soft;
layout(binding = 2) uniform sampler hard;
layout(binding = 3) uniform texture2D right;
layout(binding = 4) writeonly buffer Result { float result[]; };
float at(texture2D image, sampler how, vec2 where) {
    return textureLod(sampler2D(image, how), where, 0.0).r;
}
void main() {
    result[0] = at(left, soft, vec2(0.5));
    result[1] = at(right, hard, vec2(0.49, 0.49));
    result[2] = texelFetch(left, ivec2(1, 1), 0).r;
}
)";
    const std::vector<uint8_t> ramp{0, 0, 255, 255};
    auto left = manager.imageT(ramp, flat(kp::Format::eR8Unorm, 2, 2));
    auto right = manager.imageT(std::vector<float>{5, 6, 7, 8}, flat(kp::Format::eR32Sfloat, 2, 2));
    auto result = manager.tensor({0, 0, 0});
    kp::SamplerOptions hard;
    hard.filter = kp::Filter::eNearest;
    const auto soft = manager.sampler();
    const auto found = run({left, right, result}, code, result, {soft, manager.sampler(hard)}, 1);
    EXPECT_NEAR(found[0], 0.5f, 0.01f);
    EXPECT_EQ(found[1], 5);
    EXPECT_EQ(found[2], 1);
    const auto reflection = kp::reflect(spirv(code));
    // The function is called with both pairs, and not looked at for each.
    EXPECT_EQ(reflection.bindings[0].imageSamplers, (std::vector<uint32_t>{1, 2}));
    EXPECT_TRUE(reflection.bindings[1].imageSamplers.empty());
    EXPECT_EQ(reflection.bindings[3].argument, 1u);
    EXPECT_EQ(reflection.bindings[4].argument, 2u);
    EXPECT_EQ(reflection.bindings[2].sampler, 1u);
}

TEST_F(SampledImageTest, RefusesASeparateSamplerThatCannotReadItsImage) {
    const auto code = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform utexture2D numbers;
layout(binding = 1) uniform texture2D picture;
layout(binding = 2) uniform sampler one;
layout(binding = 3) uniform sampler other;
layout(binding = 4) writeonly buffer Result { float result[]; };
void main() {
    result[0] = float(textureLod(usampler2D(numbers, one), vec2(0.5), 0.0).r) +
                textureLod(sampler2D(picture, other), vec2(0.5), 0.0).r;
})");
    EXPECT_EQ(kp::reflect(code).bindings[0].imageSamplers, std::vector<uint32_t>{2});
    auto numbers = manager.imageT(std::vector<uint8_t>{7}, flat(kp::Format::eR8Uint, 1, 1));
    auto picture = manager.imageT(std::vector<uint8_t>{255}, flat(kp::Format::eR8Unorm, 1, 1));
    auto result = manager.tensor({0});
    kp::SamplerOptions nearest;
    nearest.filter = kp::Filter::eNearest;
    kp::AlgorithmOptions options;
    options.samplers = {manager.sampler(nearest), manager.sampler()};
    auto algorithm = manager.algorithm({numbers, picture, result}, code, {1}, {}, {}, options);
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(result->vector()[0], 8);
    std::swap(options.samplers[0], options.samplers[1]);
    EXPECT_ERROR(kp::ShaderError, "binding 0 'numbers' is read with a linear filter",
                 manager.algorithm({numbers, picture, result}, code, {1}, {}, {}, options));
    EXPECT_ERROR(
        kp::ShaderError, "image of format R8_UINT, which",
        algorithm->rebuild<float, float>({numbers, picture, result}, code, {}, {}, {}, options));
}

TEST_F(SampledImageTest, ReadsArraysOfSampledImages) {
    const std::string code = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D images[2];
layout(binding = 1) writeonly buffer Result { float result[]; };
void main() {
    result[0] = 10.0 * textureLod(images[0], vec2(0.5), 0.0).r;
    result[1] = 10.0 * textureLod(images[1], vec2(0.5), 0.0).r;
}
)";
    auto one = manager.imageT(std::vector<float>{1}, flat(kp::Format::eR32Sfloat, 1, 1));
    auto two = manager.imageT(std::vector<float>{2}, flat(kp::Format::eR32Sfloat, 1, 1));
    auto result = manager.tensor({0, 0});
    kp::SamplerOptions nearest;
    nearest.filter = kp::Filter::eNearest;
    const auto sampler = manager.sampler(nearest);
    const std::vector<float> expected{10, 20};
    EXPECT_EQ(run({one, two, result}, code, result, {sampler}, 1), expected);
    EXPECT_EQ(run({one, two, result}, code, result, {sampler, sampler}, 1), expected);
}

TEST_F(SampledImageTest, OrdersSamplingAfterWrites) {
    auto numbers = manager.tensor({0, 0});
    auto picture = manager.imageT<float>(flat(kp::Format::eR32Sfloat, 2, 1));
    const auto write = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image2D picture;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(picture, at, imageLoad(picture, at) + 1.0);
})");
    const auto read = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer Numbers { float numbers[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    numbers[i] = 10.0 * numbers[i] + textureLod(picture, vec2((i + 0.5) / 2.0, 0.5), 0.0).r;
})");
    kp::AlgorithmOptions options;
    kp::SamplerOptions nearest;
    nearest.filter = kp::Filter::eNearest;
    options.samplers = {manager.sampler(nearest)};
    auto increment = manager.algorithm({picture}, write, {2});
    auto append = manager.algorithm({picture, numbers}, read, {2}, {}, {}, options);
    picture->setData(std::vector<float>{0, 3});
    auto sequence = manager.sequence();
    for (int i = 0; i < 3; ++i)
        sequence->record<kp::OpAlgoDispatch>(increment)->record<kp::OpAlgoDispatch>(append);
    sequence->eval();
    EXPECT_EQ(numbers->vector(), (std::vector<float>{123, 456}));
}

TEST_F(SampledImageTest, KeepsItsSamplerInLaunchersAndWithoutTheUsersReference) {
    auto values = manager.imageT(std::vector<uint8_t>{0, 255}, line(kp::Format::eR8Unorm, 2));
    auto at = manager.tensor({0.5f});
    auto result = manager.tensor({0});
    kp::AlgorithmOptions options;
    options.samplers = {manager.sampler()};
    kp::Kernel kernel(manager, kSampleLine, options);
    options.samplers.clear();
    EXPECT_EQ(kernel.signature().arguments().size(), 3u);
    EXPECT_EQ(kernel.signature().arguments()[0].kind, kp::ArgumentKind::eImage);
    kp::KernelOptions size;
    size.globalSize = kp::WorkSize(1);
    kp::KernelLauncher launcher("sample", kernel, {values, at, result}, size);
    launcher()->wait();
    EXPECT_NEAR(result->vector()[0], 0.5f, 0.01f);
}

TEST_F(SampledImageTest, RefusesSamplersThatDoNotFitTheShader) {
    auto values = manager.imageT(std::vector<uint8_t>{0, 255}, line(kp::Format::eR8Unorm, 2));
    auto integers = manager.imageT(std::vector<uint8_t>{0, 1}, line(kp::Format::eR8Uint, 2));
    auto at = manager.tensor({0.5f});
    auto result = manager.tensor({0});
    const auto make = [&](const kp::MemoryObjects& objects, const std::string& code,
                          std::vector<std::shared_ptr<kp::Sampler>> samplers) {
        kp::AlgorithmOptions options;
        options.samplers = std::move(samplers);
        return manager.algorithm(objects, spirv(code), {1}, {}, {}, options);
    };
    const auto sampler = manager.sampler();
    EXPECT_ERROR(kp::InvalidArgument, "the shader takes 1 (binding 0 'line')",
                 make({values, at, result}, kSampleLine, {}));
    EXPECT_ERROR(kp::InvalidArgument, "2 samplers were given",
                 make({values, at, result}, kSampleLine, {sampler, sampler}));
    EXPECT_ERROR(kp::InvalidArgument, "is null",
                 make({values, at, result}, kSampleLine, {nullptr}));
    EXPECT_ERROR(kp::InvalidArgument, "1 sampler was given, but the shader declares none",
                 make({at}, shader(buffer(0, "", "float", "a"), "a[i] = 1;"), {sampler}));
    std::string wholeNumbers = kSampleLine;
    wholeNumbers.replace(wholeNumbers.find("sampler1D"), 9, "usampler1D");
    EXPECT_ERROR(kp::ShaderError, "declared as an image of float",
                 make({integers, at, result}, kSampleLine, {sampler}));
    EXPECT_ERROR(kp::ShaderError, "cannot filter",
                 make({integers, at, result}, wholeNumbers, {sampler}));
    kp::SamplerOptions texels;
    texels.unnormalizedCoordinates = true;
    texels.address[1] = kp::AddressMode::eRepeat;
    EXPECT_ERROR(kp::InvalidArgument, "cannot repeat", manager.sampler(texels));
    texels = {};
    texels.filter = static_cast<kp::Filter>(9);
    EXPECT_ERROR(kp::InvalidArgument, "filter 9", manager.sampler(texels));
    const char* const shadow = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2DShadow depth;
layout(binding = 1) writeonly buffer Result { float result[]; };
void main() { result[0] = textureLod(depth, vec3(0.5), 0.0); })";
    EXPECT_ERROR(kp::ShaderError, "samplers that compare",
                 make({values, result}, shadow, {sampler}));
}

TEST_F(SampledImageTest, NamesTheShapeThatTheShaderDeclares) {
    auto cube = image([] {
        kp::ImageOptions options;
        options.type = kp::ImageType::e3D;
        options.format = kp::Format::eR32Sfloat;
        options.width = options.height = options.depth = 2;
        return options;
    }());
    auto plane = manager.image(2, 2, 1);
    const auto volume = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image3D x;
void main() { imageStore(x, ivec3(0), vec4(1)); })");
    const auto layers = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image2DArray x;
void main() { imageStore(x, ivec3(0), vec4(1)); })");
    EXPECT_NO_THROW(manager.algorithm({cube}, volume));
    EXPECT_ERROR(kp::ShaderError,
                 "binding 0 'x' is declared as image3D, but was given an image for image2D",
                 manager.algorithm({plane}, volume));
    EXPECT_ERROR(kp::ShaderError, "declared as image2DArray, but was given an image for image3D",
                 manager.algorithm({cube}, layers));
}

TEST_F(SampledImageTest, NamesTheUsageThatIsMissing) {
    const auto store = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0, rgba8) uniform image2D x;
void main() { imageStore(x, ivec2(0), vec4(1)); })");
    kp::ImageOptions options = flat(kp::Format::eR8G8B8A8Unorm, 2, 2);
    options.usage = kp::ImageUsage::eSampled;
    EXPECT_ERROR(kp::ShaderError, "created without ImageUsage::eStorage",
                 manager.algorithm({image(options)}, store));
    options.format = kp::Format::eR8G8B8A8Srgb;
    options.usage = kp::ImageUsage::eStorage;
    try {
        image(options);
        GTEST_SKIP() << "the device stores to sRGB images";
    } catch (const kp::Unsupported& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("R8G8B8A8_SRGB"), std::string::npos) << text;
        EXPECT_NE(text.find("VK_IMAGE_USAGE_STORAGE_BIT"), std::string::npos) << text;
        EXPECT_NE(text.find(manager.deviceInfo().name), std::string::npos) << text;
    }
    options.usage = kp::ImageUsage::eAuto;
    EXPECT_EQ(image(options)->getOptions().usage, kp::ImageUsage::eSampled);
    if (!hasFeature(manager, "shaderStorageImageWriteWithoutFormat"))
        return; // such shaders are refused anyway
    const auto anyFormat = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform writeonly image2D x;
void main() { imageStore(x, ivec2(0), vec4(1)); })");
    EXPECT_ERROR(kp::ShaderError, "R8G8B8A8_SRGB, which cannot be stored to",
                 manager.algorithm({image(options)}, anyFormat));
}

TEST_F(SampledImageTest, RefusesImagesThatDoNotExist) {
    kp::ImageOptions options = flat(kp::Format::eR8G8B8A8Unorm, 2, 2);
    const std::vector<uint8_t> bytes(16);
    const std::vector<float> floats(16);
    EXPECT_ERROR(kp::InvalidArgument, "holds eUnsignedChar, but eFloat was given",
                 manager.imageT(floats, options));
    EXPECT_ERROR(kp::InvalidArgument, "needs 16 elements, but 15",
                 manager.imageT(std::vector<uint8_t>(15), options));
    options.channels = 2;
    EXPECT_ERROR(kp::InvalidArgument, "has 4 channels, which may hold data of 3, but 2 were given",
                 manager.imageT(bytes, options));
    options.channels = 0;
    options.depth = 2;
    EXPECT_ERROR(kp::InvalidArgument, "type e2D has depth 1, not 2",
                 manager.imageT(bytes, options));
    options.depth = 1;
    options.layers = 0;
    EXPECT_ERROR(kp::InvalidArgument, "layers", manager.imageT(bytes, options));
    options.type = kp::ImageType::e2DArray;
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.imageT(bytes, options));
    options.layers = UINT32_MAX;
    EXPECT_THROW(manager.imageT<uint8_t>(options), kp::Error);
    options.width = options.height = UINT32_MAX;
    EXPECT_THROW(manager.imageT<uint8_t>(options), kp::Error);
    options = flat(static_cast<kp::Format>(12345), 2, 2);
    EXPECT_ERROR(kp::InvalidArgument, "is not a format", image(options));
    EXPECT_ERROR(kp::InvalidArgument, "channels, not 0",
                 manager.imageT(bytes, flat(kp::Format::eUndefined, 2, 2)));
    EXPECT_ERROR(kp::InvalidArgument, "\"rgb9\" is not a known image format",
                 kp::formatNamed("rgb9"));
}

} // namespace
} // namespace kp::test
