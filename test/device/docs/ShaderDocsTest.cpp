// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/shaders.md. Each block of that page is a part of this file or of the
// example image_filter, apart from whitespace.
#include <cstdio>
#include <filesystem>

#include <kompute/Launch.hpp>

#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"
#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

class ShaderDocsTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<float>> input = manager.tensorT<float>(std::vector<float>(1000, 1));
    std::shared_ptr<kp::TensorT<float>> output =
        manager.tensorT<float>(std::vector<float>(1000, 0));
};

TEST_F(ShaderDocsTest, RunsTheCodeOnSpirv) {
    const std::string source =
        shader(buffer(0, "readonly", "float", "a") + buffer(1, "writeonly", "float", "b"),
               "b[i] = a[i] + 1;");
    // clang-format off
std::vector<uint32_t> spirv = manager.compile(source);
auto algorithm = manager.algorithm({input, output}, spirv);
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(output->vector(), std::vector<float>(1000, 2));
}

TEST_F(ShaderDocsTest, RunsTheCodeOnConstants) {
    const auto spirv = manager.compile(R"(#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
layout(push_constant) uniform Settings { float factor; uint count; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) b[i] += factor * a[i];
})");
    // clang-format off
struct Settings {
    float factor;
    uint32_t count;
};

auto algorithm = manager.algorithm<uint32_t, Settings>({input, output}, spirv, {},
                                                       {64},            // constant_id 0
                                                       {{2.0f, 1000}}); // push constants
algorithm->setThreadCount(1000);
manager.sequence()
    ->record<kp::OpAlgoDispatch>(algorithm)
    ->record<kp::OpAlgoDispatch>(algorithm, std::vector<Settings>{{3.0f, 500}})
    ->eval();
    // clang-format on
    EXPECT_EQ(output->vector()[499], 5);
    EXPECT_EQ(output->vector()[500], 2);
    EXPECT_EQ(output->vector()[999], 2);
    EXPECT_EQ(algorithm->getWorkgroup()[0], 16u);
}

TEST_F(ShaderDocsTest, RunsTheCodeOnMatrices) {
    const auto points = manager.tensorT<float>({1, 0, 5, 0});
    const auto spirv = manager.compile(R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Points { vec4 points[]; };
layout(push_constant) uniform Parameters { mat3 turn; vec3 centre; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < points.length())
        points[i].xyz = turn * (points[i].xyz - centre);
})");
    // clang-format off
const std::array<float, 9> quarter = {0, 1, 0, -1, 0, 0, 0, 0, 1}; // column by column
const std::array<float, 3> centre = {0, 0, 0};
const auto block =
    kp::pushConstantBlock(kp::reflect(spirv), {{"turn", quarter}, {"centre", centre}});
auto turning = manager.algorithm({points}, spirv, {1}, std::vector<float>{}, block);
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(turning);
    EXPECT_EQ(onDevice<float>(*points), (std::vector<float>{0, 1, 5, 0}));
}

TEST_F(ShaderDocsTest, RunsTheCodeOnReinterpretedTypes) {
    auto bytes = manager.tensorT<uint8_t>({1, 2, 3, 4});
    auto words = manager.tensorT<uint32_t>({0, 0, 0, 0});
    const auto spirv = manager.compile(
        shader(buffer(0, "readonly", "uint", "a") + buffer(1, "writeonly", "uint", "b"),
               "b[i] = a[0] >> 8 * i & 255;"));
    EXPECT_THROW(manager.algorithm({bytes, words}, spirv), kp::Error);
    // clang-format off
auto algorithm = manager.algorithm(kp::reinterpreted({bytes, words}), spirv);
    // clang-format on
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(words->vector(), (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST_F(ShaderDocsTest, RunsTheCodeOnCompiling) {
    const TemporaryFolder folder;
    folder.write("shaders/common/scale.glsl", "float scaled(float v) { return RADIUS * v; }\n");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    std::vector<uint32_t> spirv;
    const auto compile = [&](const std::string& source) {
        // clang-format off
kp::CompileOptions options;
options.fileName = "blur.comp";              // for messages
options.defines = {{"RADIUS", "3"}};
options.includeFolders = {"shaders/common"};

try {
    spirv = kp::compile(source, options);
} catch (const kp::ShaderError& error) {
    // blur.comp:12:9: error: ... with the line of text and a mark under the place
    std::fprintf(stderr, "%s\n", error.what());
}
        // clang-format on
    };
    compile("#version 450\n#include \"scale.glsl\"\n" +
            shader(buffer(0, "", "float", "v"), "v[i] = scaled(v[i]);").substr(13));
    testing::internal::CaptureStderr();
    compile("#version 450\nvoid main() {\n" + std::string(9, '\n') + "        floot x;\n}\n");
    const std::string printed = testing::internal::GetCapturedStderr();
    std::filesystem::current_path(before);
    EXPECT_NE(printed.find("blur.comp:12:9: error: "), std::string::npos) << printed;
    EXPECT_NE(printed.find("        floot x;\n"), std::string::npos) << printed;
    EXPECT_NE(printed.find('^'), std::string::npos) << printed;
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({input}, spirv));
    EXPECT_EQ(input->vector(), std::vector<float>(1000, 3));
}

TEST_F(ShaderDocsTest, RunsTheCodeOnSlang) {
    const std::string source = "RWStructuredBuffer<float> values;\n"
                               "[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n"
                               "    values[id.x] *= 2.0;\n"
                               "}\n";
    std::vector<uint32_t> spirv;
    try {
        // clang-format off
kp::CompileOptions options;
options.language = kp::ShaderLanguage::eSlang;
spirv = manager.compile(source, options); // or a file whose name ends in .slang
                                                  // clang-format on
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({input}, spirv));
    EXPECT_EQ(input->vector(), std::vector<float>(1000, 2));
}

TEST_F(ShaderDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/shaders.md", "test/device/docs/ShaderDocsTest.cpp", 7,
                     "examples/image_filter/main.cpp");
}

} // namespace
} // namespace kp::test
