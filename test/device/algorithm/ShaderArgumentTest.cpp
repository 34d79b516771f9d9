// SPDX-License-Identifier: Apache-2.0
//
// Invalid shaders, and arguments that do not fit the shader.
#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;

/// The manager must still work after each error.
class ShaderArgument : public DeviceTest {
protected:
    void TearDown() override {
        auto t = manager.tensor({1, 2, 3});
        auto sq = manager.sequence();
        sq->record<kp::OpSyncDevice>({t});
        sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, incrementFloats()));
        sq->record<kp::OpSyncLocal>({t})->eval();
        EXPECT_EQ(t->vector(), (std::vector<float>{2, 3, 4}));
    }

    std::shared_ptr<kp::TensorT<float>> t = manager.tensor({1, 2, 3});
};

TEST_F(ShaderArgument, ChecksPushConstantsThatTheShaderDoesNotDeclare) {
    auto algorithm = manager.algorithm({t}, incrementFloats());
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(algorithm, std::vector<float>(16, 1.0f)); // unused
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_EQ(t->vector(), (std::vector<float>{2, 3, 4}));
    EXPECT_ERROR(kp::InvalidArgument, "maxPushConstantsSize",
                 sq->record<kp::OpAlgoDispatch>(algorithm, std::vector<float>(1000, 1.0f)));
    EXPECT_THROW(manager.algorithm({t}, incrementFloats(), {}, std::vector<float>{},
                                   std::vector<float>(1000)),
                 kp::InvalidArgument);
}

TEST_F(ShaderArgument, AcceptsOnlyThePaddingThatAStructOfThePushConstantsCanHave) {
    const auto withBlock = [&](const std::string& members, const std::string& value) {
        return manager.algorithm(
            {t}, spirv(shader(buffer(0, "", "float", "v") + "layout(push_constant) uniform P { " +
                                  members + " };",
                              "v[i] = " + value + ";")));
    };
    auto sq = manager.sequence();
    auto one = withBlock("float x;", "x");
    for (const size_t count : {2, 3, 4})
        EXPECT_ERROR(kp::InvalidArgument, "4 bytes",
                     sq->record<kp::OpAlgoDispatch>(one, std::vector<float>(count)));
    struct Padded {
        double x;
        float y;
    };
    auto vector = withBlock("vec3 x;", "x.z");
    sq->record<kp::OpAlgoDispatch>(vector, std::vector<float>{1, 2, 3, 4})
        ->record<kp::OpSyncLocal>({t})
        ->eval();
    EXPECT_EQ(t->vector()[0], 3.0f);
    if (!hasFeature(manager, "shaderFloat64"))
        return;
    auto pair = withBlock("double x; float y;", "float(x) + y");
    sq->record<kp::OpAlgoDispatch>(pair, std::vector<Padded>{{1.0, 2.0f}})
        ->record<kp::OpSyncLocal>({t})
        ->eval();
    EXPECT_EQ(t->vector()[0], 3.0f);
}

TEST_F(ShaderArgument, ReportsTheLineOfAGlslError) {
    try {
        kp::compile("#version 450\nlayout(local_size_x = 1) in;\nvoid main() { nonsense = 1; }\n");
        FAIL() << "an invalid shader compiled";
    } catch (const kp::ShaderError& error) {
        EXPECT_EQ(error.line(), 3u);
        EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
    }
    EXPECT_THROW(manager.compile("no shader at all"), kp::ShaderError);
    EXPECT_THROW(manager.compile(""), kp::ShaderError);
}

TEST_F(ShaderArgument, RejectsInvalidSpirv) {
    EXPECT_ERROR(kp::ShaderError, "SPIR-V",
                 manager.algorithm({t}, std::vector<uint32_t>(100, 0xdeadbeef)));
    EXPECT_THROW(manager.algorithm({t}, std::vector<uint32_t>{0x07230203}), kp::ShaderError);
    auto scrambled = incrementFloats();
    for (size_t i = 5; i < scrambled.size(); i += 3)
        scrambled[i] ^= 0x00010001;
    EXPECT_THROW(manager.algorithm({t}, scrambled), kp::ShaderError);
}

TEST_F(ShaderArgument, RejectsCodeTruncatedAtAnyLength) {
    const auto whole = incrementFloats();
    for (size_t length = 1; length < whole.size(); length += 7)
        EXPECT_THROW(
            manager.algorithm({t}, std::vector<uint32_t>(
                                       whole.begin(), whole.begin() + static_cast<long>(length))),
            kp::ShaderError)
            << length;
}

TEST_F(ShaderArgument, RejectsAnotherStage) {
    // A fragment shader with an empty main().
    const std::vector<uint32_t> fragment{
        0x07230203, 0x00010000, 0, 6,          0, 0x00020011, 1, // OpCapability Shader
        0x0003000e, 0,          1,                               // OpMemoryModel Logical GLSL450
        0x0005000f, 4,          3, 0x6e69616d, 0,                // OpEntryPoint Fragment %3 "main"
        0x00030010, 3,          7,                // OpExecutionMode %3 OriginUpperLeft
        0x00020013, 1,                            // %1 = OpTypeVoid
        0x00030021, 2,          1,                // %2 = OpTypeFunction %1
        0x00050036, 1,          3, 0,          2, // %3 = OpFunction
        0x000200f8, 4,                            // %4 = OpLabel
        0x000100fd, 0x00010038};                  // OpReturn, OpFunctionEnd
    EXPECT_ERROR(kp::ShaderError, "compute", manager.algorithm({t}, fragment));
}

TEST_F(ShaderArgument, RejectsSpirvNewerThanTheDevice) {
    auto newer = incrementFloats();
    newer[1] = 0x00010900; // SPIR-V 1.9
    EXPECT_ERROR(kp::ShaderError, "1.9", manager.algorithm({t}, newer));
}

TEST_F(ShaderArgument, NamesTheMissingBinding) {
    EXPECT_ERROR(kp::ShaderError, "binding 1", manager.algorithm({t}, copyShader()));
    const auto code = spirv(shader(buffer(3, "", "float", "v"), "v[i] += 1.0;"));
    EXPECT_ERROR(kp::ShaderError, "binding 3", manager.algorithm({t}, code));
}

TEST_F(ShaderArgument, RejectsNullObjects) {
    EXPECT_THROW(manager.algorithm({t, nullptr}, copyShader()), kp::InvalidArgument);
    auto sq = manager.sequence();
    const std::vector<std::shared_ptr<kp::Memory>> objects{t, nullptr};
    const std::vector<std::shared_ptr<kp::Memory>> none{nullptr};
    EXPECT_THROW(manager.algorithm(none), kp::InvalidArgument) << "also without a shader";
    EXPECT_THROW(sq->record<kp::OpSyncDevice>(objects), kp::InvalidArgument);
    EXPECT_THROW(sq->record<kp::OpSyncLocal>(objects), kp::InvalidArgument);
    EXPECT_THROW(sq->record<kp::OpCopy>(objects), kp::InvalidArgument);
    EXPECT_THROW(sq->record<kp::OpFill>(objects, 1.0f), kp::InvalidArgument);
    EXPECT_THROW(sq->record(std::shared_ptr<kp::OpBase>()), kp::InvalidArgument);
}

TEST_F(ShaderArgument, RejectsAnImageForABuffer) {
    EXPECT_ERROR(kp::ShaderError, "binding 0",
                 manager.algorithm({manager.image(3, 1, 1)}, incrementFloats()));
}

TEST_F(ShaderArgument, RejectsABufferForAnImage) {
    const auto code = spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                            "layout(set = 0, binding = 0, r32f) uniform writeonly image2D a;\n"
                            "void main() { imageStore(a, ivec2(0), vec4(1)); }");
    EXPECT_ERROR(kp::ShaderError, "binding 0", manager.algorithm({t}, code));
}

TEST_F(ShaderArgument, RejectsAnImageOfAnotherFormat) {
    const auto code = spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                            "layout(set = 0, binding = 0, r32i) uniform writeonly iimage2D a;\n"
                            "void main() { imageStore(a, ivec2(0), ivec4(1)); }");
    EXPECT_ERROR(kp::ShaderError, "binding 0", manager.algorithm({manager.image(3, 1, 1)}, code));
}

TEST_F(ShaderArgument, RejectsMemoryTooSmallForAFixedBlock) {
    const auto code = spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                            "layout(set = 0, binding = 0) buffer B { float a[16]; };\n"
                            "void main() { a[15] = 1.0; }");
    EXPECT_ERROR(kp::ShaderError, "64", manager.algorithm({t}, code));
    EXPECT_TRUE(manager.algorithm({manager.tensorT<float>(16)}, code)->isInit());
}

TEST_F(ShaderArgument, RejectsAMismatchedElementType) {
    EXPECT_THROW(manager.algorithm({manager.tensorT<double>(3)}, incrementFloats()), kp::Error);
    EXPECT_THROW(manager.algorithm({manager.tensorT<uint8_t>(3)}, incrementFloats()), kp::Error);
}

TEST_F(ShaderArgument, ComparesElementTypesOfOneSize) {
    const auto floats = incrementFloats();
    const auto words = addShader(1);
    const auto expectRefused = [&](const std::shared_ptr<kp::Memory>& memory,
                                   const std::vector<uint32_t>& code, const std::string& declared,
                                   const std::string& given) {
        EXPECT_ERROR(kp::ShaderError, "binding 0", manager.algorithm({memory}, code));
        EXPECT_ERROR(kp::ShaderError, declared, manager.algorithm({memory}, code));
        EXPECT_ERROR(kp::ShaderError, given, manager.algorithm({memory}, code));
        EXPECT_NO_THROW(manager.algorithm(kp::reinterpreted({memory}), code));
    };
    expectRefused(manager.tensorT<int32_t>({1}), floats, "float", "eInt");
    expectRefused(manager.tensorT<uint32_t>({1}), floats, "float", "eUnsignedInt");
    expectRefused(manager.tensorT<float>({1}), words, "uint", "eFloat");
    expectRefused(manager.tensorT<uint8_t>({1, 2, 3, 4}), words, "uint", "eUnsignedChar");
    expectRefused(manager.tensorT<kp::Half>(4), words, "uint", "eHalf");
    EXPECT_NO_THROW(manager.algorithm({manager.tensorT<int32_t>({1})}, words)) << "as in Kompute";
    struct Pair {
        float a, b;
    };
    EXPECT_NO_THROW(manager.algorithm({manager.tensorT<Pair>(2)}, floats).get())
        << "a struct of floats";
    const auto vectors = spirv(shader(buffer(0, "", "vec4", "v"), "v[i] *= 2.0;"));
    EXPECT_NO_THROW(manager.algorithm({manager.tensorT<float>(8)}, vectors));
    EXPECT_ERROR(kp::ShaderError, "float",
                 manager.algorithm({manager.tensorT<int32_t>(8)}, vectors));
}

TEST_F(ShaderArgument, KeepsReinterpretationForOtherMemory) {
    const auto ints = manager.tensorT<int32_t>({0, 0});
    const auto algorithm = manager.algorithm(kp::reinterpreted({ints}), incrementFloats());
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(ints->vector()[1], 0x3f800000) << "the bits of 1.0f";
    EXPECT_NO_THROW(algorithm->setMemObjects({manager.tensorT<int32_t>({0, 0})}));
    const auto strict = manager.algorithm({t}, incrementFloats());
    EXPECT_ERROR(kp::ShaderError, "reinterpretation", strict->setMemObjects({ints}));
    EXPECT_NO_THROW(strict->setMemObjects(kp::reinterpreted({ints})));
}

struct Packed {
    float position[3], speed[3];
};
struct Padded {
    float position[4], speed[4];
};
struct Point {
    float x[3];
};

TEST_F(ShaderArgument, ComparesStridesWithElements) {
    if (!hasFeature(manager, "scalarBlockLayout"))
        GTEST_SKIP() << "the device has no scalar layout";
    const auto code = [&](const std::string& element, const std::string& layout = "",
                          const std::string& tail = "[]") {
        return spirv("#version 450\n#extension GL_EXT_scalar_block_layout : enable\n"
                     "layout(local_size_x = 1) in;\n"
                     "struct S { vec3 position; vec3 speed; };\n"
                     "layout(binding = 0" +
                     layout + ") buffer Data { " + element + " v" + tail +
                     "; };\nvoid main() { v[0] = v[1]; }");
    };
    const auto accepts = [&](const std::vector<uint32_t>& shader, auto memory) {
        EXPECT_NO_THROW((void)manager.algorithm({memory}, shader));
    };
    const auto refuses = [&](const std::vector<uint32_t>& shader, auto memory,
                             const std::string& declared, const std::string& given) {
        EXPECT_ERROR(kp::ShaderError, declared, (void)manager.algorithm({memory}, shader));
        EXPECT_ERROR(kp::ShaderError, given, (void)manager.algorithm({memory}, shader));
        EXPECT_ERROR(kp::ShaderError, "layout(scalar)", (void)manager.algorithm({memory}, shader));
        EXPECT_NO_THROW((void)manager.algorithm(kp::reinterpreted({memory}), shader));
        EXPECT_THROW(kp::KernelLauncher("x", kp::Kernel(manager, shader), {memory}), kp::Error);
    };
    const auto structs = code("S");
    accepts(structs, manager.tensorT<Padded>(8));
    accepts(structs, manager.tensorT<uint8_t>(256));
    refuses(structs, manager.tensorT<Packed>(8), "32 bytes each ('position' at 0, 'speed' at 16)",
            "of 24 bytes each");
    refuses(structs, manager.tensorT<float>(64), "32 bytes each", "of 4 bytes each");
    accepts(code("S", ", scalar"), manager.tensorT<Packed>(8));
    accepts(code("S", ", scalar"), manager.tensorT<float>(48));
    const auto points = code("vec3");
    refuses(points, manager.tensorT<Point>(8), "3 x float, 16 bytes each", "of 12 bytes each");
    refuses(points, manager.tensorT<float>(301), "3 x float, 16 bytes each", "1204 bytes in all");
    refuses(points, manager.tensorT<float>(300), "3 x float, 16 bytes each", "1200 bytes in all");
    accepts(code("vec3", ", scalar"), manager.tensorT<Point>(8));
    accepts(code("vec3", ", scalar"), manager.tensorT<float>(300));
    refuses(code("vec3", ", scalar"), manager.tensorT<float>(301), "12 bytes each", "1204 bytes");
    refuses(code("mat3"), manager.tensorT<float>(36), "9 x float, 48 bytes each", "of 4 bytes");
    refuses(code("float", ", std140"), manager.tensorT<float>(8), "floats, 16 bytes each", "32");
    accepts(code("vec4"), manager.tensorT<float>(8));
    accepts(code("mat4"), manager.tensorT<Padded>(4));
    const auto fixed = code("vec3", "", "[4]");
    refuses(fixed, manager.tensorT<Point>(8), "3 x float, 16 bytes each", "of 12 bytes each");
    accepts(fixed, manager.tensorT<float>(16));
    const auto algorithm = manager.algorithm({manager.tensorT<Padded>(2)}, structs);
    EXPECT_ERROR(kp::ShaderError, "of 24 bytes each",
                 algorithm->setMemObjects({manager.tensorT<Packed>(2)}));
}

TEST_F(ShaderArgument, ComparesStridesOfUniformBlocks) {
    const auto code = spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                            "struct S { vec3 position; vec3 speed; };\n"
                            "layout(binding = 0) uniform Data { S v[4]; };\n"
                            "layout(binding = 1) buffer Out { float o[]; };\n"
                            "void main() { o[0] = v[1].speed.x; }");
    EXPECT_NO_THROW((void)manager.algorithm({manager.tensorT<Padded>(4), t}, code));
    EXPECT_ERROR(kp::ShaderError, "std140",
                 (void)manager.algorithm({manager.tensorT<Packed>(8), t}, code));
}

TEST_F(ShaderArgument, RejectsAWrongPushConstantSize) {
    const auto code = spirv(shader(buffer(0, "", "float", "v") +
                                       "layout(push_constant) uniform P { float x; float y; };",
                                   "v[i] = x + y;"));
    auto sq = manager.sequence();
    EXPECT_ERROR(kp::InvalidArgument, "8", (void)manager.algorithm({t}, code, {}, {}, {1.0}));
    EXPECT_ERROR(kp::InvalidArgument, "declared as float",
                 (void)(manager.algorithm<float, int>({t}, code, {}, {}, {1, 2})));
    const auto given = manager.algorithm({t}, code, {}, {}, {1.0, 2.0});
    EXPECT_ERROR(kp::InvalidArgument, "declared as float",
                 given->setPushConstants(std::vector<int>{1, 2}));
    EXPECT_ERROR(kp::InvalidArgument, "8",
                 sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, code)));
    EXPECT_ERROR(kp::InvalidArgument, "maxPushConstantsSize",
                 manager.algorithm({t}, code, {}, {}, std::vector<float>(1000)));
    EXPECT_ERROR(kp::InvalidArgument, "multiple of 4",
                 (manager.algorithm<float, uint8_t>({t}, code, {}, {}, {1, 2, 3})));
    sq->eval<kp::OpAlgoDispatch>(manager.algorithm({t}, code, {}, {}, {1.0, 2.0}));
    EXPECT_EQ(onDevice<float>(*t)[0], 3.0f);
    // The constants may also come with each dispatch.
    sq->eval<kp::OpAlgoDispatch>(manager.algorithm({t}, code), kp::Constants{4, 5});
    EXPECT_EQ(onDevice<float>(*t)[0], 9.0f);
}

TEST_F(ShaderArgument, RejectsGroupCountsOverTheLimit) {
    const auto limit = manager.deviceInfo().maxWorkgroupCount;
    auto sq = manager.sequence();
    for (size_t axis = 0; axis < 3; ++axis) {
        if (limit[axis] == UINT32_MAX)
            continue;
        kp::Workgroup groups{1, 1, 1};
        groups[axis] = limit[axis] + 1;
        EXPECT_ERROR(kp::InvalidArgument, std::to_string(limit[axis]),
                     (void)manager.algorithm({t}, incrementFloats(), groups));
        auto algorithm = manager.algorithm({t}, incrementFloats(), {1});
        EXPECT_ERROR(kp::InvalidArgument, std::to_string(limit[axis]),
                     algorithm->setWorkgroup(groups));
        EXPECT_EQ(algorithm->getWorkgroup()[axis], 1u);
    }
    auto byDefault = manager.algorithm({t}, incrementFloats());
    EXPECT_NO_THROW(byDefault->setWorkgroup({0}, UINT32_MAX)) << "these counts are the default";
}

TEST_F(ShaderArgument, WarnsOfMemoryThatTheShaderDoesNotUse) {
    (void)manager.algorithm({t}, incrementFloats(), {1});
    const auto warned = [](const char* text) { return logText().find(text) != std::string::npos; };
    EXPECT_FALSE(warned("memory object")) << logText();
    (void)manager.algorithm({t, t, t}, incrementFloats(), {1});
    EXPECT_TRUE(warned("3 memory objects given, but the shader uses the first 1")) << logText();
}

TEST_F(ShaderArgument, RejectsALocalSizeOverTheLimit) {
    const auto code = spirv("#version 450\nlayout(local_size_x_id = 0) in;\n" +
                            buffer(0, "", "float", "v") + "void main() { v[0] = 1.0; }");
    const uint32_t limit = manager.deviceInfo().maxWorkgroupInvocations;
    EXPECT_ERROR(kp::ShaderError, std::to_string(limit),
                 (manager.algorithm<uint32_t, float>({t}, code, {1}, {limit + 1}, {})));
}

TEST_F(ShaderArgument, RejectsACapabilityThatTheDeviceLacks) {
    if (hasFeature(manager, "shaderBufferFloat64AtomicAdd"))
        GTEST_SKIP() << "the device has shaderBufferFloat64AtomicAdd";
    const auto code = spirv(shader(buffer(0, "", "double", "v"), "atomicAdd(v[0], 1.0LF);",
                                   "#extension GL_EXT_shader_atomic_float : require"));
    EXPECT_THROW(manager.algorithm({manager.tensorT<double>(3)}, code), kp::Error);
}

TEST_F(ShaderArgument, RejectsOtherDescriptorTypes) {
    const auto uniform =
        spirv("#version 450\nlayout(local_size_x = 1) in;\n"
              "layout(set = 0, binding = 0) uniform sampler2D a;\n" +
              buffer(1, "", "float", "v") + "void main() { v[0] = texture(a, vec2(0)).x; }");
    EXPECT_THROW(manager.algorithm({t, t}, uniform), kp::Error);
}

} // namespace
} // namespace kp::test
