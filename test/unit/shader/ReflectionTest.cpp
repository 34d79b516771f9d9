// SPDX-License-Identifier: Apache-2.0
#include "unit/shader/ReflectionSupport.hpp"

namespace kp::shader {
namespace {

TEST(Reflection, DescribesStorageBuffers) {
    const auto result = reflectGlsl(
        "layout(binding = 3) readonly buffer In { vec4 items[]; } source;\n"
        "layout(set = 1, binding = 0) buffer Out { uint count; uint pad; double values[]; };\n"
        "layout(binding = 1) buffer Unused { int unused[]; };\n"
        "layout(binding = 2) buffer Fixed { mat4 matrices[5]; } fixedSize;\n",
        "count = 1u; values[0] = double(source.items[0].x) + fixedSize.matrices[1][0][0];");
    ASSERT_EQ(result.bindings.size(), 3u);

    const Binding& fixed = result.bindings[0];
    EXPECT_EQ(fixed.set, 0u);
    EXPECT_EQ(fixed.binding, 2u);
    EXPECT_EQ(fixed.fixedSize, 5u * 64);
    EXPECT_EQ(fixed.arrayStride, 0u);
    EXPECT_EQ(fixed.elementType, ScalarType::eFloat32);
    EXPECT_EQ(fixed.elementComponents, 16u);

    const Binding& in = result.bindings[1];
    EXPECT_EQ(in.binding, 3u);
    EXPECT_EQ(in.kind, BindingKind::eStorageBuffer);
    EXPECT_EQ(in.count, 1u);
    EXPECT_EQ(in.name, "source");
    EXPECT_TRUE(in.reads);
    EXPECT_FALSE(in.writes);
    EXPECT_EQ(in.fixedSize, 0u);
    EXPECT_EQ(in.arrayStride, 16u);
    EXPECT_EQ(in.elementType, ScalarType::eFloat32);
    EXPECT_EQ(in.elementComponents, 4u);

    const Binding& out = result.bindings[2];
    EXPECT_EQ(out.set, 1u);
    EXPECT_EQ(out.name, "Out");
    EXPECT_FALSE(out.reads);
    EXPECT_TRUE(out.writes);
    EXPECT_EQ(out.fixedSize, 8u);
    EXPECT_EQ(out.arrayStride, 8u);
    EXPECT_EQ(out.elementType, ScalarType::eFloat64);
    EXPECT_TRUE(has(result, "Float64"));
}

TEST(Reflection, KnowsEveryElementType) {
    const std::string extensions = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                                   "#extension GL_EXT_shader_16bit_storage : require\n"
                                   "#extension GL_EXT_shader_8bit_storage : require\n";
    const std::pair<const char*, ScalarType> types[] = {
        {"int8_t", ScalarType::eInt8},       {"uint8_t", ScalarType::eUint8},
        {"int16_t", ScalarType::eInt16},     {"uint16_t", ScalarType::eUint16},
        {"int", ScalarType::eInt32},         {"uint", ScalarType::eUint32},
        {"int64_t", ScalarType::eInt64},     {"uint64_t", ScalarType::eUint64},
        {"float16_t", ScalarType::eFloat16}, {"float", ScalarType::eFloat32},
        {"double", ScalarType::eFloat64}};
    for (const auto& [name, type] : types) {
        const auto result =
            reflectGlsl(extensions + "layout(binding = 0) buffer Data { " + name + " data[]; };",
                        "data[1] = data[0];");
        ASSERT_EQ(result.bindings.size(), 1u) << name;
        EXPECT_EQ(result.bindings[0].elementType, type) << name;
        EXPECT_EQ(result.bindings[0].arrayStride, sizeOf(type)) << name;
        EXPECT_STREQ(nameOf(type), name);
    }
    EXPECT_EQ(sizeOf(ScalarType::eStruct), 0u);
    EXPECT_EQ(sizeOf(ScalarType::eUnknown), 0u);
    EXPECT_EQ(sizeOf(ScalarType::eBool), 4u);
}

TEST(Reflection, DescribesStructsAndNestedArrays) {
    const auto result = reflectGlsl("struct Particle { vec3 position; float mass; };\n"
                                    "layout(binding = 0) buffer A { Particle particles[]; };\n"
                                    "layout(binding = 1, std430) buffer B { float rows[][3]; };\n"
                                    "layout(binding = 2) buffer C { int a; float b; } c;\n",
                                    "particles[0].mass = rows[0][1]; c.a = 1;");
    ASSERT_EQ(result.bindings.size(), 3u);
    EXPECT_EQ(result.bindings[0].elementType, ScalarType::eStruct);
    EXPECT_EQ(result.bindings[0].elementComponents, 1u);
    EXPECT_EQ(result.bindings[0].arrayStride, 16u);
    EXPECT_EQ(result.bindings[1].elementType, ScalarType::eFloat32);
    EXPECT_EQ(result.bindings[1].elementComponents, 3u);
    EXPECT_EQ(result.bindings[1].arrayStride, 12u);
    EXPECT_EQ(result.bindings[2].elementType, ScalarType::eStruct);
    EXPECT_EQ(result.bindings[2].fixedSize, 8u);
}

TEST(Reflection, DescribesArraysOfDescriptors) {
    const auto result = reflectGlsl("layout(binding = 0) buffer A { float data[]; } many[4];\n"
                                    "layout(binding = 4, r32f) uniform image2D images[6];\n",
                                    "many[1].data[0] = imageLoad(images[2], ivec2(0)).x;");
    ASSERT_EQ(result.bindings.size(), 2u);
    EXPECT_EQ(result.bindings[0].count, 4u);
    EXPECT_EQ(result.bindings[0].elementType, ScalarType::eFloat32);
    EXPECT_TRUE(result.bindings[0].writes);
    EXPECT_FALSE(result.bindings[0].reads);
    EXPECT_EQ(result.bindings[1].count, 6u);
    EXPECT_TRUE(result.bindings[1].reads);
    EXPECT_FALSE(result.bindings[1].writes);

    const auto endless = reflectGlsl("#extension GL_EXT_nonuniform_qualifier : require\n"
                                     "layout(binding = 0) buffer A { float data[]; } endless[];\n",
                                     "endless[gl_WorkGroupID.x].data[0] = 1.0;");
    ASSERT_EQ(endless.bindings.size(), 1u);
    EXPECT_EQ(endless.bindings[0].count, 0u);
}

TEST(Reflection, DescribesImagesAndSamplers) {
    const auto result = reflectGlsl(
        "layout(binding = 0, rgba8) uniform readonly image2D a;\n"
        "layout(binding = 1, r32ui) uniform uimage3D b;\n"
        "layout(binding = 2) writeonly uniform iimage1D c;\n"
        "layout(binding = 3) uniform sampler2DArray d;\n"
        "layout(binding = 4) uniform texture2D e;\n"
        "layout(binding = 5) uniform sampler f;\n"
        "layout(binding = 6) uniform samplerBuffer g;\n"
        "layout(binding = 7, r32f) uniform imageBuffer h;\n"
        "layout(binding = 8) uniform Block { vec4 v; float s[2]; } i;\n",
        "vec4 x = imageLoad(a, ivec2(0)) + texture(d, vec3(0)) + texture(sampler2D(e, f), vec2(0))"
        " + texelFetch(g, 0) + i.v * float(imageSize(a).x);\n"
        "imageAtomicAdd(b, ivec3(0), 1u); imageStore(c, 0, ivec4(x)); imageStore(h, 0, x);");
    ASSERT_EQ(result.bindings.size(), 9u);
    const auto& bindings = result.bindings;
    const BindingKind kinds[] = {
        BindingKind::eStorageImage,       BindingKind::eStorageImage,
        BindingKind::eStorageImage,       BindingKind::eCombinedImageSampler,
        BindingKind::eSampledImage,       BindingKind::eSampler,
        BindingKind::eUniformTexelBuffer, BindingKind::eStorageTexelBuffer,
        BindingKind::eUniformBuffer};
    const char* accesses[] = {"r", "rw", "w", "r", "r", "r", "r", "w", "r"};
    const char* names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (size_t i = 0; i < bindings.size(); ++i) {
        EXPECT_EQ(bindings[i].kind, kinds[i]) << i;
        EXPECT_EQ(std::string(bindings[i].reads ? "r" : "") + (bindings[i].writes ? "w" : ""),
                  accesses[i])
            << i;
        EXPECT_EQ(bindings[i].name, names[i]);
    }
    EXPECT_EQ(bindings[0].imageFormat, 4u); // Rgba8
    EXPECT_EQ(bindings[0].imageType, ScalarType::eFloat32);
    EXPECT_EQ(bindings[0].imageDimensions, 2u);
    EXPECT_FALSE(bindings[0].imageArrayed);
    EXPECT_EQ(bindings[1].imageType, ScalarType::eUint32);
    EXPECT_EQ(bindings[1].imageDimensions, 3u);
    EXPECT_EQ(bindings[2].imageFormat, 0u);
    EXPECT_EQ(bindings[2].imageType, ScalarType::eInt32);
    EXPECT_EQ(bindings[2].imageDimensions, 1u);
    EXPECT_TRUE(bindings[3].imageArrayed);
    EXPECT_EQ(bindings[8].fixedSize, 48u);
}

TEST(Reflection, NumbersArgumentsByBindingInOneSet) {
    const auto result = reflectGlsl("layout(binding = 4) buffer A { uint a[]; };\n"
                                    "layout(binding = 1) buffer B { uint b[]; };\n",
                                    "a[0] = b[0];");
    ASSERT_EQ(result.bindings.size(), 2u);
    EXPECT_EQ(result.bindings[0].argument, 1u);
    EXPECT_EQ(result.bindings[1].argument, 4u);
}

TEST(Reflection, NumbersArgumentsOfSetsAndArraysInTheirOrder) {
    const auto result = reflectGlsl("layout(set = 2, binding = 0) buffer A { uint a[]; };\n"
                                    "layout(binding = 3) buffer B { uint v[]; } b[6];\n"
                                    "layout(binding = 5) buffer C { uint c[]; };\n"
                                    "layout(set = 1, binding = 9) buffer Unused { uint u[]; };\n",
                                    "a[0] = b[5].v[0] + c[0];");
    ASSERT_EQ(result.bindings.size(), 3u);
    EXPECT_EQ(result.bindings[0].count, 6u);
    EXPECT_EQ(result.bindings[0].argument, 0u);
    EXPECT_EQ(result.bindings[1].argument, 6u);
    EXPECT_EQ(result.bindings[2].set, 2u);
    EXPECT_EQ(result.bindings[2].argument, 7u);
}

TEST(Reflection, BoundsArraysOfDescriptors) {
    const auto sized = [](const std::string& length) {
        return reflectGlsl("layout(constant_id = 0) const uint n = 2;\n"
                           "layout(binding = 0) buffer A { uint v[]; } a[" +
                               length + "];\n",
                           "a[0].v[0] = 1;");
    };
    EXPECT_EQ(sized("65536").bindings[0].count, 65536u);
    EXPECT_EQ(sized("n").bindings[0].count, 0u);
    const auto error = shaderErrorOf([&] { sized("65537"); });
    EXPECT_TRUE(contains(error.what(), "65536")) << error.what();
}

TEST(Reflection, TellsTheStrideOfFixedArrays) {
    const auto result = reflectGlsl("layout(binding = 0) uniform U { float u[3]; };\n"
                                    "layout(binding = 1) buffer A { float a[3]; };\n"
                                    "layout(binding = 2) buffer B { float b[]; };\n",
                                    "b[0] = u[0] + a[0];");
    EXPECT_EQ(result.bindings[0].fixedStride, 16u);
    EXPECT_EQ(result.bindings[0].fixedSize, 48u);
    EXPECT_EQ(result.bindings[1].fixedStride, 4u);
    EXPECT_EQ(result.bindings[2].fixedStride, 0u);
}

TEST(Reflection, ListsCapabilitiesAndTheVersion) {
    const auto result = reflectGlsl("#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                                    "#extension GL_EXT_shader_atomic_float : require\n"
                                    "layout(binding = 0) buffer Data { float data[]; };\n",
                                    "atomicAdd(data[0], subgroupAdd(data[1]));", 2);
    EXPECT_EQ(result.spirvVersion, 0x00010500u);
    EXPECT_TRUE(has(result, "Shader"));
    EXPECT_TRUE(has(result, "GroupNonUniformArithmetic"));
    EXPECT_TRUE(has(result, "AtomicFloat32AddEXT"));
    EXPECT_FALSE(result.usesBufferAddresses);
}

TEST(Reflection, DetectsWhetherMoreThanXOfAPositionIsRead) {
    const auto readsYOrZ = [](const std::string& body) {
        return reflectGlsl("layout(binding = 0) buffer Data { uint data[]; };\n", body).readsYOrZ;
    };
    EXPECT_FALSE(readsYOrZ("data[0] = 1u;"));
    EXPECT_FALSE(readsYOrZ("data[gl_GlobalInvocationID.x] = gl_WorkGroupID.x;"));
    EXPECT_FALSE(readsYOrZ("data[gl_LocalInvocationID.x] = gl_NumWorkGroups.y;"));
    EXPECT_TRUE(readsYOrZ("data[gl_GlobalInvocationID.y] = 1u;"));
    EXPECT_TRUE(readsYOrZ("data[gl_WorkGroupID.x] = gl_WorkGroupID.z;"));
    EXPECT_TRUE(readsYOrZ("data[gl_LocalInvocationID.y] = 1u;"));
    EXPECT_TRUE(readsYOrZ("uvec3 all = gl_GlobalInvocationID; data[all.x] = 1u;"));
}

TEST(Reflection, DetectsBufferAddresses) {
    const auto result =
        reflectGlsl("#extension GL_EXT_buffer_reference : require\n"
                    "layout(buffer_reference, std430) buffer Node { float value; };\n"
                    "layout(binding = 0) buffer Data { Node nodes[]; };\n",
                    "nodes[0].value = 1.0;", 2);
    EXPECT_TRUE(result.usesBufferAddresses);
    EXPECT_TRUE(has(result, "PhysicalStorageBufferAddresses"));
    ASSERT_EQ(result.bindings.size(), 1u);
    EXPECT_TRUE(result.bindings[0].reads);
    EXPECT_FALSE(result.bindings[0].writes);
    EXPECT_EQ(result.bindings[0].arrayStride, 8u);
    EXPECT_EQ(result.bindings[0].elementType, ScalarType::eUint64);
}

TEST(Reflection, MergesTwoViewsOfOneBinding) {
    const auto result = reflectGlsl("layout(binding = 0) buffer A { float scalars[]; };\n"
                                    "layout(binding = 0) buffer B { uvec4 vectors[]; };\n",
                                    "scalars[0] = float(vectors[1].x);");
    ASSERT_EQ(result.bindings.size(), 1u);
    EXPECT_TRUE(result.bindings[0].reads);
    EXPECT_TRUE(result.bindings[0].writes);
    EXPECT_EQ(result.bindings[0].arrayStride, 4u);
    EXPECT_EQ(result.bindings[0].elementType, ScalarType::eUnknown);
}

TEST(Reflection, AcceptsArraysSizedBySpecializationConstants) {
    const auto result = reflectGlsl("layout(constant_id = 0) const uint n = 100;\n"
                                    "layout(binding = 0) buffer A { uint head; float data[n]; };\n",
                                    "data[0] = float(head);");
    ASSERT_EQ(result.bindings.size(), 1u);
    EXPECT_EQ(result.bindings[0].fixedSize, 4u);
}

TEST(Reflection, ListsTheEntryPointsIfOneIsMissing) {
    const auto spirv = compile(glsl("", ""));
    const auto error = shaderErrorOf([&] { reflect(spirv, "other"); });
    EXPECT_TRUE(contains(error.what(), "'other'"));
    EXPECT_TRUE(contains(error.what(), "compute 'main'"));
}

TEST(Reflection, ReadsOnlyTheChosenEntryPoint) {
    const std::string text = R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %first "first"
        OpEntryPoint GLCompute %second "second"
        OpExecutionMode %first LocalSize 2 1 1
        OpExecutionMode %second LocalSize 3 1 1
        OpDecorate %rta ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %a DescriptorSet 0
        OpDecorate %a Binding 0
        OpDecorate %b DescriptorSet 0
        OpDecorate %b Binding 1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %rta = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %rta
        %pblock = OpTypePointer StorageBuffer %block
        %puint = OpTypePointer StorageBuffer %uint
        %a = OpVariable %pblock StorageBuffer
        %b = OpVariable %pblock StorageBuffer
        %first = OpFunction %void None %fn
        %l1 = OpLabel
        %p1 = OpAccessChain %puint %a %zero %zero
        OpStore %p1 %zero
        OpReturn
        OpFunctionEnd
        %second = OpFunction %void None %fn
        %l2 = OpLabel
        %p2 = OpAccessChain %puint %b %zero %zero
        %v2 = OpLoad %uint %p2
        OpReturn
        OpFunctionEnd)";
    const auto spirv = test::assemble(text, SPV_ENV_UNIVERSAL_1_3);
    validate(spirv, vulkan(1));
    const auto first = reflect(spirv, "first");
    ASSERT_EQ(first.bindings.size(), 1u);
    EXPECT_EQ(first.bindings[0].binding, 0u);
    EXPECT_TRUE(first.bindings[0].writes);
    EXPECT_FALSE(first.bindings[0].reads);
    EXPECT_EQ(first.localSize[0], 2u);
    const auto second = reflect(spirv, "second");
    ASSERT_EQ(second.bindings.size(), 1u);
    EXPECT_EQ(second.bindings[0].binding, 1u);
    EXPECT_EQ(second.localSize[0], 3u);
}

TEST(ReflectionCache, ReturnsTheSameObjectForTheSameModule) {
    CompileOptions options;
    const auto one = compile(glsl("layout(binding = 0) buffer D { int d[]; };", "d[0] = 1;"));
    options.entryPoint = "other";
    const auto two =
        compile(glsl("layout(binding = 0) buffer D { int d[]; };", "d[0] = 1;"), options);
    const auto first = reflectCached(one);
    EXPECT_EQ(first, reflectCached(one));
    EXPECT_NE(first, reflectCached(two, "other"));
    EXPECT_EQ(first->bindings.size(), 1u);
    EXPECT_THROW(reflectCached(one, "other"), ShaderError);
    EXPECT_THROW(reflectCached(one, "other"), ShaderError);
}

TEST(Reflection, IsAvailableInThePublicApi) {
    const auto code =
        kp::compile("#version 450\nlayout(local_size_x = 3) in;\n"
                    "layout(binding = 4) readonly buffer Values { float values[]; };\n"
                    "layout(binding = 5) writeonly buffer Sum { float sum; };\n"
                    "void main() { sum = values[0]; }");
    const kp::shader::Reflection found = kp::reflect(code);
    EXPECT_EQ(found.localSize[0], 3u);
    ASSERT_EQ(found.bindings.size(), 2u);
    EXPECT_EQ(found.bindings[0].name, "Values");
    EXPECT_FALSE(found.bindings[0].writes);
    EXPECT_FALSE(found.bindings[1].reads);
    EXPECT_THROW(kp::reflect(code, "other"), kp::ShaderError);
    EXPECT_THROW(kp::reflect({}), kp::ShaderError);
    EXPECT_THROW(kp::reflect({1, 2, 3}), kp::ShaderError);
}

std::vector<std::pair<uint32_t, uint32_t>> axesOf(const Member& member) {
    std::vector<std::pair<uint32_t, uint32_t>> axes;
    for (const MemberAxis& axis : member.axes)
        axes.emplace_back(axis.count, axis.stride);
    return axes;
}

TEST(Reflection, TellsWhereNumbersLie) {
    using Axes = std::vector<std::pair<uint32_t, uint32_t>>;
    const auto result = reflectGlsl(
        "struct S { vec3 a; float b; };\n"
        "layout(push_constant, std140) uniform P {\n"
        "    float x; vec3 v; mat2x3 m; layout(row_major) mat2x3 r; float f[2][3]; mat3 a[2];\n"
        "    S s;\n"
        "};\n"
        "layout(binding = 0) buffer B { S elements[]; };\n",
        "elements[0].b = x + v.x + m[0][0] + r[0][0] + f[1][1] + a[1][1][1] + s.b;");
    ASSERT_EQ(result.pushConstants.size(), 7u);
    EXPECT_EQ(axesOf(result.pushConstants[0]), Axes());
    EXPECT_EQ(axesOf(result.pushConstants[1]), Axes({{3, 4}}));
    EXPECT_EQ(axesOf(result.pushConstants[2]), Axes({{2, 16}, {3, 4}}));
    EXPECT_EQ(axesOf(result.pushConstants[3]), Axes({{2, 4}, {3, 16}}));
    EXPECT_EQ(axesOf(result.pushConstants[4]), Axes({{2, 48}, {3, 16}}));
    EXPECT_EQ(axesOf(result.pushConstants[5]), Axes({{2, 48}, {3, 16}, {3, 4}}));
    EXPECT_EQ(axesOf(result.pushConstants[6]), Axes());
    ASSERT_EQ(result.bindings.size(), 1u);
    ASSERT_EQ(result.bindings[0].members.size(), 2u);
    EXPECT_EQ(result.bindings[0].members[1].name, "b");
    EXPECT_EQ(result.bindings[0].members[1].offset, 12u);
}

TEST(Reflection, MergesViewsOfOneBufferIntoTheFinerOne) {
    const auto result = reflectGlsl("layout(binding = 0) buffer A { vec3 a[]; };\n"
                                    "layout(binding = 0) buffer B { vec4 b[]; };\n"
                                    "layout(binding = 1) buffer C { vec3 c[]; };\n"
                                    "layout(binding = 1) buffer D { float d[]; };\n",
                                    "b[0].x = a[0].x + c[0].x + d[0];");
    ASSERT_EQ(result.bindings.size(), 2u);
    EXPECT_EQ(result.bindings[0].arrayStride, 16u);
    EXPECT_EQ(result.bindings[0].elementComponents, 4u);
    EXPECT_EQ(result.bindings[1].arrayStride, 4u);
    EXPECT_EQ(result.bindings[1].elementComponents, 1u);
}

} // namespace
} // namespace kp::shader
