// SPDX-License-Identifier: Apache-2.0
//
// The library enables the features that the device offers, so every shader that the GPU supports
// runs.
#include "../TestSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

class FeatureTest : public DeviceTest {
protected:
    /// The first of @p features that the device lacks, or "".
    std::string missing(const std::vector<std::string>& features) {
        for (const auto& feature : features)
            if (!hasFeature(manager, feature))
                return feature;
        return "";
    }
    /// Runs @p code on @p values, with one workgroup per element.
    template <typename T>
    std::vector<T> run(const std::string& code, std::vector<T> values) {
        auto t = manager.tensorT<T>(values);
        auto sq = manager.sequence();
        sq->record<kp::OpSyncDevice>({t});
        sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, manager.compile(code)));
        sq->record<kp::OpSyncLocal>({t})->eval();
        return t->vector();
    }
};

#define SKIP_UNLESS_SUPPORTED(...)                                                                 \
    if (const std::string feature = missing({__VA_ARGS__}); !feature.empty())                      \
    GTEST_SKIP() << "the device lacks " << feature

const char* kExplicitTypes = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

TEST_F(FeatureTest, EnablesWhatTheDeviceOffers) {
    const auto device = deviceOf(manager);
    for (const auto feature :
         {vulkan::Feature::eShaderFloat64, vulkan::Feature::eShaderInt64,
          vulkan::Feature::eShaderInt16, vulkan::Feature::eShaderInt8,
          vulkan::Feature::eShaderFloat16, vulkan::Feature::eStorageBuffer8BitAccess,
          vulkan::Feature::eStorageBuffer16BitAccess, vulkan::Feature::eScalarBlockLayout,
          vulkan::Feature::eShaderStorageImageExtendedFormats,
          vulkan::Feature::eBufferDeviceAddress, vulkan::Feature::eSubgroupSizeControl,
          vulkan::Feature::eVulkanMemoryModel, vulkan::Feature::eShaderBufferFloat32AtomicAdd,
          vulkan::Feature::eShaderBufferInt64Atomics})
        EXPECT_EQ(device->has(feature), device->physical().has(feature)) << nameOf(feature);
}

TEST_F(FeatureTest, SupportsDoubleArithmetic) {
    SKIP_UNLESS_SUPPORTED("shaderFloat64");
    const double third = 1.0 / 3.0;
    EXPECT_EQ(run<double>(shader(buffer(0, "", "double", "v"), "v[i] = v[i] / 3.0LF;"), {1.0}),
              std::vector<double>{third});
}

TEST_F(FeatureTest, SupportsSixtyFourBitIntegers) {
    SKIP_UNLESS_SUPPORTED("shaderInt64");
    EXPECT_EQ(run<uint64_t>(shader(buffer(0, "", "uint64_t", "v"), "v[i] = v[i] * 3ul + 1ul;",
                                   kExplicitTypes),
                            {uint64_t{1} << 40}),
              std::vector<uint64_t>{3 * (uint64_t{1} << 40) + 1});
}

TEST_F(FeatureTest, SupportsSixteenBitIntegers) {
    SKIP_UNLESS_SUPPORTED("shaderInt16", "storageBuffer16BitAccess");
    EXPECT_EQ(run<int16_t>(shader(buffer(0, "", "int16_t", "v"), "v[i] = v[i] * int16_t(-2);",
                                  std::string(kExplicitTypes) +
                                      "#extension GL_EXT_shader_16bit_storage : require\n"),
                           {100, -7}),
              (std::vector<int16_t>{-200, 14}));
}

TEST_F(FeatureTest, SupportsEightBitIntegers) {
    SKIP_UNLESS_SUPPORTED("shaderInt8", "storageBuffer8BitAccess");
    EXPECT_EQ(run<uint8_t>(shader(buffer(0, "", "uint8_t", "v"), "v[i] = v[i] + uint8_t(200);",
                                  std::string(kExplicitTypes) +
                                      "#extension GL_EXT_shader_8bit_storage : require\n"),
                           {100, 3}),
              (std::vector<uint8_t>{44, 203}));
}

TEST_F(FeatureTest, SupportsHalfArithmetic) {
    SKIP_UNLESS_SUPPORTED("shaderFloat16", "storageBuffer16BitAccess");
    EXPECT_EQ(run<kp::Half>(shader(buffer(0, "", "float16_t", "v"), "v[i] = v[i] * 1.5hf;",
                                   std::string(kExplicitTypes) +
                                       "#extension GL_EXT_shader_16bit_storage : require\n"),
                            {kp::Half(2.0f), kp::Half(-0.5f)}),
              (std::vector<kp::Half>{kp::Half(3.0f), kp::Half(-0.75f)}));
}

TEST_F(FeatureTest, SupportsFloatAtomics) {
    SKIP_UNLESS_SUPPORTED("shaderBufferFloat32AtomicAdd");
    EXPECT_EQ(run<float>(shader(buffer(0, "", "float", "v"), "atomicAdd(v[0], 1.0);",
                                "#extension GL_EXT_shader_atomic_float : require\n"),
                         {0, 0, 0, 0})[0],
              4.0f);
}

TEST_F(FeatureTest, SupportsSixtyFourBitAtomics) {
    SKIP_UNLESS_SUPPORTED("shaderBufferInt64Atomics", "shaderInt64");
    EXPECT_EQ(run<uint64_t>(shader(buffer(0, "", "uint64_t", "v"), "atomicAdd(v[0], 1ul << 33);",
                                   std::string(kExplicitTypes) +
                                       "#extension GL_EXT_shader_atomic_int64 : require\n"),
                            {0, 0})[0],
              uint64_t{2} << 33);
}

TEST_F(FeatureTest, SupportsScalarLayout) {
    SKIP_UNLESS_SUPPORTED("scalarBlockLayout");
    // Vectors of three floats have no padding between them.
    const auto result = run<float>(
        "#version 450\n#extension GL_EXT_scalar_block_layout : require\n"
        "layout(local_size_x = 1) in;\n"
        "layout(set = 0, binding = 0, scalar) buffer B { vec3 v[]; };\n"
        "void main() { if (gl_GlobalInvocationID.x < 2u) v[gl_GlobalInvocationID.x] *= 2.0; }",
        {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(result, (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST_F(FeatureTest, SupportsSubgroups) {
    const auto result =
        run<uint32_t>("#version 450\n#extension GL_KHR_shader_subgroup_basic : require\n"
                      "layout(local_size_x = 1) in;\n" +
                          buffer(0, "", "uint", "v") +
                          "void main() { v[gl_GlobalInvocationID.x] = "
                          "gl_SubgroupSize; }",
                      {0});
    EXPECT_EQ(result[0], manager.deviceInfo().subgroupSize);
}

TEST_F(FeatureTest, SupportsBufferReferences) {
    SKIP_UNLESS_SUPPORTED("bufferDeviceAddress", "shaderInt64");
    auto target = manager.tensorT<uint32_t>({5, 6, 7});
    auto pointer = manager.tensorT<uint64_t>({target->deviceAddress()});
    const auto code =
        manager.compile("#version 450\n#extension GL_EXT_buffer_reference : require\n" +
                        std::string(kExplicitTypes) +
                        "layout(local_size_x = 1) in;\n"
                        "layout(buffer_reference, std430) buffer Numbers { uint v[]; };\n" +
                        buffer(0, "readonly", "uint64_t", "p") +
                        "void main() { Numbers n = Numbers(p[0]); n.v[1] += 10u; }");
    manager.sequence()->eval<kp::OpSyncDevice>({target, pointer});
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({pointer}, code));
    EXPECT_EQ(onDevice<uint32_t>(*target), (std::vector<uint32_t>{5, 16, 7}));
}

TEST_F(FeatureTest, SupportsHlsl) {
    kp::CompileOptions options;
    options.language = kp::ShaderLanguage::eHlsl;
    const auto code = manager.compile(
        "RWStructuredBuffer<float> v : register(u0);\n"
        "[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { v[id.x] *= 3.0; }",
        options);
    auto t = manager.tensor({1, 2, 3});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(manager.algorithm({t}, code));
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_EQ(t->vector(), (std::vector<float>{3, 6, 9}));
}

// The shader of docs/guides/shaders.md.
TEST_F(FeatureTest, SupportsSlang) {
    kp::CompileOptions options;
    options.language = kp::ShaderLanguage::eSlang;
    std::vector<uint32_t> code;
    try {
        code = manager.compile(R"(struct Settings { float factor; uint count; };

[[vk::binding(0)]] RWStructuredBuffer<float> values;
[[vk::push_constant]] ConstantBuffer<Settings> settings;
[[vk::constant_id(0)]] const uint steps = 1;

T scaled<T : IArithmetic>(T value, T factor) { return value * factor; }

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    for (uint step = 0; id.x < settings.count && step < steps; ++step)
        values[id.x] = scaled(values[id.x], settings.factor);
}
)",
                               options);
    } catch (const Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    struct Settings {
        float factor;
        uint32_t count;
    };
    auto t = manager.tensor({1, 2, 3});
    const auto algorithm =
        manager.algorithm<uint32_t, Settings>({t}, code, {1, 1, 1}, {2}, {{3.0f, 2}});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_EQ(t->vector(), (std::vector<float>{9, 18, 3}));
}

} // namespace
} // namespace kp::test
