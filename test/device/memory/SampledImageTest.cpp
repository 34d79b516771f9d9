// SPDX-License-Identifier: Apache-2.0
//
// Samplers, sampled images, dimensions and formats.
#include <cmath>

#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class SampledImageTest : public DeviceTest {
protected:
    /// An image of a format and type; @p data may be null.
    std::shared_ptr<kp::Image> image(kp::ImageOptions options, const void* data = nullptr,
                                     size_t count = 0) {
        return manager.image(options, data, count);
    }
    static kp::ImageOptions line(kp::Format format, uint32_t width) {
        kp::ImageOptions options;
        options.type = kp::ImageType::e1D;
        options.format = format;
        options.width = width;
        return options;
    }
    static kp::ImageOptions flat(kp::Format format, uint32_t width, uint32_t height) {
        kp::ImageOptions options;
        options.format = format;
        options.width = width;
        options.height = height;
        return options;
    }
    std::vector<float> run(const kp::MemoryObjects& objects, const std::string& code,
                           const std::shared_ptr<kp::TensorT<float>>& result,
                           const std::vector<std::shared_ptr<kp::Sampler>>& samplers,
                           uint32_t invocations) {
        kp::AlgorithmOptions options;
        options.samplers = samplers;
        auto algorithm = manager.algorithm(objects, spirv(code), {invocations}, {}, {}, options);
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
        return result->vector();
    }
};

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
