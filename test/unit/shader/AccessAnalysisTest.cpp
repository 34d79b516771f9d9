// SPDX-License-Identifier: Apache-2.0
#include "shader/reflect/AccessAnalysis.hpp"

#include "ShaderTestTools.hpp"
#include "shader/Validate.hpp"

namespace kp::shader {
namespace {

using test::Accesses;
using test::accessesOf;
using test::glsl;
using test::vulkan;

const std::string kBuffers = "layout(binding = 0) buffer A { float a[]; };\n"
                             "layout(binding = 1) buffer B { float b[]; };\n"
                             "layout(binding = 2) buffer C { uint c[]; };\n";

Accesses ofGlsl(const std::string& body, const std::string& more = "", uint32_t minor = 1) {
    CompileOptions options;
    options.vulkanVersion = vulkan(minor);
    const auto spirv = compile(glsl(kBuffers + more, body), options);
    validate(spirv, vulkan(minor));
    return accessesOf(spirv);
}

TEST(AccessAnalysis, DistinguishesLoadsFromStores) {
    EXPECT_EQ(ofGlsl("a[0] = b[0];"), (Accesses{{0, "w"}, {1, "r"}}));
    EXPECT_EQ(ofGlsl("a[0] += b[0];"), (Accesses{{0, "rw"}, {1, "r"}}));
    EXPECT_EQ(ofGlsl("a[0] = 1.0;"), (Accesses{{0, "w"}}));
    EXPECT_EQ(ofGlsl(""), Accesses{});
    EXPECT_EQ(ofGlsl("if (b[0] > 0.0) { c[1] = 2u; }"), (Accesses{{1, "r"}, {2, "w"}}));
    EXPECT_EQ(ofGlsl("for (uint i = 0u; i < c[0]; ++i) a[i] = 0.0;"),
              (Accesses{{0, "w"}, {2, "r"}}));
}

TEST(AccessAnalysis, CountsALengthAsNoAccess) {
    EXPECT_EQ(ofGlsl("a[0] = float(b.length());"), (Accesses{{0, "w"}, {1, "-"}}));
}

TEST(AccessAnalysis, CountsAtomicsAsReadsAndWrites) {
    EXPECT_EQ(ofGlsl("atomicAdd(c[0], 1u);"), (Accesses{{2, "rw"}}));
    EXPECT_EQ(ofGlsl("atomicCompSwap(c[0], 1u, 2u);"), (Accesses{{2, "rw"}}));
    EXPECT_EQ(ofGlsl("uint x = atomicExchange(c[0], 1u);"), (Accesses{{2, "rw"}}));
    EXPECT_EQ(ofGlsl("atomicXor(c[0], 1u); atomicMin(c[1], 2u);"), (Accesses{{2, "rw"}}));
    EXPECT_EQ(ofGlsl("atomicAdd(a[0], 1.0);", "#extension GL_EXT_shader_atomic_float : require\n"),
              (Accesses{{0, "rw"}}));
}

TEST(AccessAnalysis, DistinguishesAtomicLoadsFromAtomicStores) {
    const std::string extension = "#extension GL_KHR_memory_scope_semantics : require\n";
    EXPECT_EQ(ofGlsl("uint x = atomicLoad(c[0], gl_ScopeDevice, gl_StorageSemanticsBuffer, "
                     "gl_SemanticsAcquire);",
                     extension),
              (Accesses{{2, "r"}}));
    EXPECT_EQ(ofGlsl("atomicStore(c[0], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
                     "gl_SemanticsRelease);",
                     extension),
              (Accesses{{2, "w"}}));
}

TEST(AccessAnalysis, DistinguishesImageAtomicLoadsFromStores) {
    const std::string more = "#extension GL_KHR_memory_scope_semantics : require\n"
                             "layout(binding = 3, r32ui) uniform uimage2D x;\n";
    EXPECT_EQ(ofGlsl("a[0] = float(imageAtomicLoad(x, ivec2(0), gl_ScopeDevice, "
                     "gl_StorageSemanticsImage, gl_SemanticsAcquire));",
                     more),
              (Accesses{{0, "w"}, {3, "r"}}));
    EXPECT_EQ(ofGlsl("imageAtomicStore(x, ivec2(0), 1u, gl_ScopeDevice, "
                     "gl_StorageSemanticsImage, gl_SemanticsRelease);",
                     more),
              (Accesses{{3, "w"}}));
}

TEST(AccessAnalysis, FollowsOutArgumentsOfFunctions) {
    EXPECT_EQ(ofGlsl("fill(a[0]);", "void fill(out float x) { x = 1.0; }\n"), (Accesses{{0, "w"}}));
    EXPECT_EQ(ofGlsl("a[0] = modf(1.5, b[0]);"), (Accesses{{0, "w"}, {1, "w"}}));
    EXPECT_EQ(ofGlsl("int e; a[0] = frexp(b[0], e);"), (Accesses{{0, "w"}, {1, "r"}}));
    const Accesses both = ofGlsl("twice(a[0]);", "void twice(inout float x) { x *= 2.0; }\n");
    EXPECT_EQ(both, (Accesses{{0, "rw"}}));
}

TEST(AccessAnalysis, FollowsFunctionsThatNameBuffers) {
    const std::string functions = "float get(uint i) { return b[i]; }\n"
                                  "void put(uint i, float x) { a[i] = x; }\n"
                                  "void unused() { c[0] = 1u; }\n";
    EXPECT_EQ(ofGlsl("put(0u, get(1u));", functions), (Accesses{{0, "w"}, {1, "r"}}));
}

TEST(AccessAnalysis, FollowsPartsOfStructsAndVectors) {
    const std::string block = "struct S { vec4 v; float m[3]; };\n"
                              "layout(binding = 3) buffer D { S items[]; } d;\n"
                              "layout(binding = 4) buffer E { S item; } e;\n";
    EXPECT_EQ(ofGlsl("d.items[1].v.x = e.item.m[2];", block), (Accesses{{3, "w"}, {4, "r"}}));
    EXPECT_EQ(ofGlsl("d.items[0] = e.item;", block), (Accesses{{3, "w"}, {4, "r"}}));
    EXPECT_EQ(ofGlsl("d.items[0].v[c[0]] = 1.0;", block), (Accesses{{2, "r"}, {3, "w"}}));
}

TEST(AccessAnalysis, AnalyzesImages) {
    const std::string images = "layout(binding = 3, r32f) uniform image2D x;\n"
                               "layout(binding = 4, r32f) uniform image2D y;\n"
                               "layout(binding = 5, r32ui) uniform uimage2D z;\n"
                               "layout(binding = 6) uniform sampler2D s;\n";
    EXPECT_EQ(ofGlsl("imageStore(x, ivec2(0), imageLoad(y, ivec2(0)));", images),
              (Accesses{{3, "w"}, {4, "r"}}));
    EXPECT_EQ(ofGlsl("imageAtomicMax(z, ivec2(0), 1u);", images), (Accesses{{5, "rw"}}));
    EXPECT_EQ(ofGlsl("imageStore(x, imageSize(y), textureLod(s, vec2(0), 0.0));", images),
              (Accesses{{3, "w"}, {4, "-"}, {6, "r"}}));
    EXPECT_EQ(ofGlsl("a[0] = float(textureSize(s, 0).x);", images), (Accesses{{0, "w"}, {6, "-"}}));
}

TEST(AccessAnalysis, FollowsImagesPassedToFunctions) {
    const std::string images = "#extension GL_EXT_shader_image_load_formatted : require\n"
                               "layout(binding = 3) uniform image2D x;\n"
                               "layout(binding = 4) uniform image2D y;\n"
                               "void store(image2D i) { imageStore(i, ivec2(0), vec4(1)); }\n"
                               "float get(image2D i) { return imageLoad(i, ivec2(0)).x; }\n";
    EXPECT_EQ(ofGlsl("store(x); store(y);", images), (Accesses{{3, "w"}, {4, "w"}}));
    EXPECT_EQ(ofGlsl("store(x); a[0] = get(y);", images), (Accesses{{0, "w"}, {3, "w"}, {4, "r"}}));
    EXPECT_EQ(ofGlsl("store(x); a[0] = get(x);", images), (Accesses{{0, "w"}, {3, "rw"}}));
}

TEST(AccessAnalysis, AnalyzesQualifiedBuffers) {
    EXPECT_EQ(ofGlsl("d[0] = e[0];", "layout(binding = 3) writeonly buffer D { float d[]; };\n"
                                     "layout(binding = 4) readonly buffer E { float e[]; };\n"),
              (Accesses{{3, "w"}, {4, "r"}}));
}

TEST(AccessAnalysis, CountsUniformBuffersAsReadOnly) {
    EXPECT_EQ(ofGlsl("a[0] = u.x;", "layout(binding = 3) uniform U { float x; } u;\n"),
              (Accesses{{0, "w"}, {3, "r"}}));
}

TEST(AccessAnalysis, AnalyzesModulesOfVulkan10) {
    EXPECT_EQ(ofGlsl("a[0] = b[0]; c[0] = uint(b.length());", "", 0),
              (Accesses{{0, "w"}, {1, "r"}, {2, "w"}}));
}

TEST(AccessAnalysis, IgnoresDebugInformation) {
    CompileOptions options;
    options.debugInfo = true;
    const auto spirv = compile(glsl(kBuffers, "float x = b[0]; a[0] = x;"), options);
    EXPECT_EQ(accessesOf(spirv), (Accesses{{0, "w"}, {1, "r"}}));
}

// The other tests use assembly, for modules that GLSL cannot express.

const std::string kHead = R"(
    OpCapability Shader
    OpCapability VariablePointers
    %glsl = OpExtInstImport "GLSL.std.450"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main"
    OpExecutionMode %main LocalSize 1 1 1
    OpDecorate %rta ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %a DescriptorSet 0
    OpDecorate %a Binding 0
    OpDecorate %b DescriptorSet 0
    OpDecorate %b Binding 1
    OpDecorate %c DescriptorSet 0
    OpDecorate %c Binding 2
)";
const std::string kTypes = R"(
    %void = OpTypeVoid
    %bool = OpTypeBool
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %zero = OpConstant %uint 0
    %one = OpConstant %uint 1
    %half = OpConstant %float 0.5
    %yes = OpConstantTrue %bool
    %rta = OpTypeRuntimeArray %float
    %block = OpTypeStruct %rta
    %pblock = OpTypePointer StorageBuffer %block
    %pfloat = OpTypePointer StorageBuffer %float
    %a = OpVariable %pblock StorageBuffer
    %b = OpVariable %pblock StorageBuffer
    %c = OpVariable %pblock StorageBuffer
    %take = OpTypeFunction %void %pfloat
    %take2 = OpTypeFunction %void %pfloat %pfloat
    %give = OpTypeFunction %pfloat %pfloat
)";
const std::string kMain = R"(
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %pa = OpAccessChain %pfloat %a %zero %zero
    %pb = OpAccessChain %pfloat %b %zero %zero
    %pc = OpInBoundsAccessChain %pfloat %c %zero %zero
)";
const std::string kEnd = "OpReturn\nOpFunctionEnd\n";

std::vector<uint32_t> assembleMain(const std::string& body, const std::string& functions = "",
                                   const std::string& decorations = "") {
    return test::assemble(kHead + decorations + kTypes + kMain + body + kEnd + functions,
                          SPV_ENV_UNIVERSAL_1_3);
}

/// An opcode that the analysis does not know.
constexpr uint32_t kUnknownOpcode = 65000;

/// Changes the opcode of each instruction @p from to @p to, and exchanges two of its words, for
/// instructions with another order of operands.
void replaceOpcode(std::vector<uint32_t>& spirv, uint32_t from, uint32_t to, size_t word = 0,
                   size_t otherWord = 0) {
    for (size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
        if ((spirv[at] & 0xffff) != from)
            continue;
        spirv[at] = (spirv[at] & 0xffff0000) | to;
        std::swap(spirv[at + word], spirv[at + otherWord]);
    }
}

Accesses ofAssembly(const std::string& body, const std::string& functions = "",
                    const std::string& decorations = "", bool valid = true) {
    const auto spirv = assembleMain(body, functions, decorations);
    if (valid)
        validate(spirv, vulkan(1));
    Accesses accesses = accessesOf(spirv);
    // main() always has a pointer into each of the three buffers.
    for (uint32_t i = 0; i < 3; ++i) {
        if (accesses[i] == "-")
            accesses.erase(i);
    }
    return accesses;
}

TEST(AccessAnalysis, SeparatesTheCallsOfAFunction) {
    const std::string copy = R"(
        %copy = OpFunction %void None %take2
        %to = OpFunctionParameter %pfloat
        %from = OpFunctionParameter %pfloat
        %l = OpLabel
        %v = OpLoad %float %from
        OpStore %to %v
    )" + kEnd;
    EXPECT_EQ(ofAssembly("%r = OpFunctionCall %void %copy %pa %pb\n", copy),
              (Accesses{{0, "w"}, {1, "r"}}));
    EXPECT_EQ(ofAssembly("%r = OpFunctionCall %void %copy %pa %pb\n"
                         "%s = OpFunctionCall %void %copy %pc %pa\n",
                         copy),
              (Accesses{{0, "rw"}, {1, "r"}, {2, "w"}}));
}

TEST(AccessAnalysis, FollowsChainsOfCallsInAnyOrderOfDefinition) {
    const std::string functions = R"(
        %last = OpFunction %void None %take
        %p3 = OpFunctionParameter %pfloat
        %l3 = OpLabel
        OpStore %p3 %half
        OpReturn
        OpFunctionEnd
        %middle = OpFunction %void None %take
        %p2 = OpFunctionParameter %pfloat
        %l2 = OpLabel
        %r2 = OpFunctionCall %void %last %p2
        OpReturn
        OpFunctionEnd
        %outer = OpFunction %void None %take
        %p1 = OpFunctionParameter %pfloat
        %l1 = OpLabel
        %r1 = OpFunctionCall %void %middle %p1
        OpReturn
        OpFunctionEnd
    )";
    EXPECT_EQ(ofAssembly("%r = OpFunctionCall %void %outer %pb\n", functions),
              (Accesses{{1, "w"}}));
    EXPECT_EQ(ofAssembly("", functions), Accesses{});
}

TEST(AccessAnalysis, FollowsPointersThatFunctionsReturn) {
    const std::string same = R"(
        %same = OpFunction %pfloat None %give
        %p = OpFunctionParameter %pfloat
        %l = OpLabel
        OpReturnValue %p
        OpFunctionEnd
    )";
    EXPECT_EQ(ofAssembly("%r = OpFunctionCall %pfloat %same %pb\nOpStore %r %half\n", same),
              (Accesses{{1, "w"}}));
    EXPECT_EQ(ofAssembly("%r = OpFunctionCall %pfloat %same %pb\n%v = OpLoad %float %r\n", same),
              (Accesses{{1, "r"}}));
}

TEST(AccessAnalysis, FollowsSelectionsCopiesAndPointerArithmetic) {
    EXPECT_EQ(ofAssembly("%p = OpSelect %pfloat %yes %pa %pb\nOpStore %p %half\n"),
              (Accesses{{0, "w"}, {1, "w"}}));
    EXPECT_EQ(ofAssembly("%p = OpCopyObject %pfloat %pc\nOpStore %p %half\n"),
              (Accesses{{2, "w"}}));
    EXPECT_EQ(ofAssembly("%p = OpPtrAccessChain %pfloat %pc %one\nOpStore %p %half\n", "",
                         "OpDecorate %pfloat ArrayStride 4\n"),
              (Accesses{{2, "w"}}));
}

TEST(AccessAnalysis, FollowsPhis) {
    EXPECT_EQ(ofAssembly(R"(
                  OpSelectionMerge %merge None
                  OpBranchConditional %yes %left %right
                  %left = OpLabel
                  OpBranch %merge
                  %right = OpLabel
                  OpBranch %merge
                  %merge = OpLabel
                  %p = OpPhi %pfloat %pa %left %pb %right
                  OpStore %p %half
              )"),
              (Accesses{{0, "w"}, {1, "w"}}));
}

TEST(AccessAnalysis, FollowsAPhiThatComesBeforeItsSource) {
    EXPECT_EQ(ofAssembly(R"(
                  OpBranch %loop
                  %loop = OpLabel
                  %p = OpPhi %pfloat %pa %entry %next %continue
                  OpLoopMerge %end %continue None
                  OpBranchConditional %yes %body %end
                  %body = OpLabel
                  OpStore %p %half
                  OpBranch %continue
                  %continue = OpLabel
                  %next = OpSelect %pfloat %yes %p %pb
                  OpBranch %loop
                  %end = OpLabel
              )"),
              (Accesses{{0, "w"}, {1, "w"}}));
}

TEST(AccessAnalysis, AnalyzesCopiesOfMemory) {
    EXPECT_EQ(ofAssembly("OpCopyMemory %pa %pb\n"), (Accesses{{0, "w"}, {1, "r"}}));
    EXPECT_EQ(ofAssembly("OpCopyMemorySized %pa %pb %one\n", "", "", false),
              (Accesses{{0, "w"}, {1, "r"}}));
}

TEST(AccessAnalysis, CountsAPointerComparisonAsNoAccess) {
    const auto spirv =
        test::assemble(kHead + kTypes + kMain + "%d = OpPtrEqual %bool %pa %pb\n" + kEnd);
    EXPECT_EQ(accessesOf(spirv), (Accesses{{0, "-"}, {1, "-"}, {2, "-"}}));
}

TEST(AccessAnalysis, AnalyzesExtendedInstructionsThatWrite) {
    EXPECT_EQ(ofAssembly("%v = OpExtInst %float %glsl Modf %half %pa\n"), (Accesses{{0, "w"}}));
    EXPECT_EQ(ofAssembly("%v = OpExtInst %float %glsl Sin %half\n"), Accesses{});
}

TEST(AccessAnalysis, CountsAnEscapingPointerAsReadAndWritten) {
    const auto spirv =
        test::assemble(kHead + kTypes +
                           "%pslot = OpTypePointer Function %pfloat\n%main = OpFunction %void None "
                           "%fn\n%entry = OpLabel\n%slot = OpVariable %pslot Function\n"
                           "%pb = OpAccessChain %pfloat %b %zero %zero\nOpStore %slot %pb\n"
                           "%p = OpLoad %pfloat %slot\nOpStore %p %half\n" +
                           kEnd,
                       SPV_ENV_UNIVERSAL_1_3);
    validate(spirv, vulkan(1));
    EXPECT_EQ(accessesOf(spirv), (Accesses{{1, "rw"}}));
}

TEST(AccessAnalysis, CountsUnknownInstructionsAsReadsAndWritesUnlessDecorated) {
    const auto withUnknown = [](const std::string& decorations) {
        auto spirv = assembleMain("%q = OpCopyObject %pfloat %pb\n", "", decorations);
        replaceOpcode(spirv, spv::OpCopyObject, kUnknownOpcode);
        return accessesOf(spirv)[1];
    };
    EXPECT_EQ(withUnknown(""), "rw");
    EXPECT_EQ(withUnknown("OpDecorate %b NonWritable\n"), "r");
    EXPECT_EQ(withUnknown("OpDecorate %b NonReadable\n"), "w");
    EXPECT_EQ(withUnknown("OpMemberDecorate %block 0 NonWritable\n"), "r");
    EXPECT_EQ(withUnknown("OpMemberDecorate %block 0 NonReadable\n"), "w");
}

TEST(AccessAnalysis, TrustsAnAccessMoreThanADecoration) {
    EXPECT_EQ(ofAssembly("OpStore %pb %half\n", "", "OpDecorate %b NonWritable\n", false),
              (Accesses{{1, "w"}}));
    EXPECT_EQ(ofAssembly("%v = OpLoad %float %pb\n", "", "OpDecorate %b NonReadable\n", false),
              (Accesses{{1, "r"}}));
}

TEST(AccessAnalysis, IgnoresLiteralsThatEqualVariableIds) {
    // The alignment 4 of the load and the index 3 of the extract are also the ids of two buffers
    // that main() does not use.
    const auto spirv = test::assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %10 "main"
        OpExecutionMode %10 LocalSize 1 1 1
        OpDecorate %2 DescriptorSet 0
        OpDecorate %2 Binding 2
        OpDecorate %3 DescriptorSet 0
        OpDecorate %3 Binding 3
        OpDecorate %4 DescriptorSet 0
        OpDecorate %4 Binding 4
        OpDecorate %20 Block
        OpMemberDecorate %20 0 Offset 0
        %11 = OpTypeVoid
        %12 = OpTypeFunction %11
        %13 = OpTypeFloat 32
        %14 = OpTypeVector %13 4
        %15 = OpTypeInt 32 0
        %16 = OpConstant %15 0
        %20 = OpTypeStruct %14
        %21 = OpTypePointer StorageBuffer %20
        %22 = OpTypePointer StorageBuffer %14
        %2 = OpVariable %21 StorageBuffer
        %3 = OpVariable %21 StorageBuffer
        %4 = OpVariable %21 StorageBuffer
        %10 = OpFunction %11 None %12
        %30 = OpLabel
        %31 = OpAccessChain %22 %2 %16
        %32 = OpLoad %14 %31 Aligned 4
        %33 = OpCompositeExtract %13 %32 3
        %34 = OpVectorShuffle %14 %32 %32 3 2 3 2
        OpReturn
        OpFunctionEnd)",
                                      SPV_ENV_UNIVERSAL_1_3);
    EXPECT_EQ(accessesOf(spirv), (Accesses{{2, "r"}}));
}

TEST(AccessAnalysis, AnalyzesCooperativeMatrices) {
    // The opcodes are patched in, because the assembler of older SPIRV-Tools lacks the KHR names.
    const auto with = [](uint32_t opcode, bool pointerFirst) {
        auto spirv = assembleMain("%q = OpCopyObject %pfloat %pb\n");
        replaceOpcode(spirv, spv::OpCopyObject, opcode, 1, pointerFirst ? 3 : 1);
        return accessesOf(spirv)[1];
    };
    EXPECT_EQ(with(kOpCooperativeMatrixLoadKHR, false), "r");
    EXPECT_EQ(with(spv::OpCooperativeMatrixLoadNV, false), "r");
    EXPECT_EQ(with(kOpCooperativeMatrixLoadTensorNV, false), "r");
    EXPECT_EQ(with(kOpCooperativeMatrixStoreKHR, true), "w");
    EXPECT_EQ(with(spv::OpCooperativeMatrixStoreNV, true), "w");
    EXPECT_EQ(with(kOpCooperativeMatrixStoreTensorNV, true), "w");
}

TEST(AccessAnalysis, FollowsUntypedAndRawPointers) {
    const auto with = [](uint32_t opcode, const std::string& use) {
        auto spirv = assembleMain("%q = OpSelect %pfloat %yes %pa %pb\n" + use);
        replaceOpcode(spirv, spv::OpSelect, opcode, 3, opcode == kOpRawAccessChainNV ? 4 : 3);
        return accessesOf(spirv);
    };
    for (const uint32_t opcode :
         {kOpUntypedAccessChainKHR, kOpUntypedInBoundsAccessChainKHR, kOpUntypedPtrAccessChainKHR,
          kOpUntypedInBoundsPtrAccessChainKHR, kOpRawAccessChainNV}) {
        EXPECT_EQ(with(opcode, "OpStore %q %half\n"), (Accesses{{0, "w"}, {1, "-"}, {2, "-"}}));
        EXPECT_EQ(with(opcode, "%v = OpLoad %float %q\n"),
                  (Accesses{{0, "r"}, {1, "-"}, {2, "-"}}));
    }
    EXPECT_EQ(with(kOpUntypedArrayLengthKHR, ""), (Accesses{{0, "-"}, {1, "-"}, {2, "-"}}));
}

TEST(AccessAnalysis, EntersFunctionsThatUnknownInstructionsName) {
    // An unknown instruction names %fill, so it may call %fill with any of its operands.
    auto spirv = assembleMain("%q = OpFunctionCall %void %fill %pc\n", R"(
        %fill = OpFunction %void None %take
        %p = OpFunctionParameter %pfloat
        %l = OpLabel
        OpStore %p %half
        %pa2 = OpAccessChain %pfloat %a %zero %zero
        OpStore %pa2 %half
    )" + kEnd);
    replaceOpcode(spirv, spv::OpFunctionCall, kUnknownOpcode);
    const Accesses accesses = accessesOf(spirv);
    EXPECT_EQ(accesses.at(0), "w");
    EXPECT_EQ(accesses.at(2), "rw");
}

TEST(AccessAnalysis, FollowsHlslHandlesPassedByValue) {
    CompileOptions options;
    options.language = ShaderLanguage::eHlsl;
    const auto spirv =
        compile("RWTexture2D<float> x : register(u0);\nTexture2D<float> y : register(t1);\n"
                "RWStructuredBuffer<float> z : register(u2);\n"
                "void store(RWTexture2D<float> t, float v) { t[uint2(0, 0)] = v; }\n"
                "float fetch(Texture2D<float> t) { return t.Load(int3(0, 0, 0)); }\n"
                "[numthreads(1, 1, 1)] void main() { store(x, fetch(y)); z[0] = 1; }\n",
                options);
    validate(spirv, vulkan(1));
    const Accesses accesses = accessesOf(spirv);
    EXPECT_TRUE(test::contains(accesses.at(0), "w"));
    EXPECT_TRUE(test::contains(accesses.at(1), "r"));
    EXPECT_EQ(accesses.at(2), "w");
}

TEST(AccessAnalysis, SurvivesDamagedModules) {
    const auto spirv = compile(glsl(kBuffers, "a[0] = b[0]; atomicAdd(c[0], 1u);"));
    for (size_t at = 5; at < spirv.size(); ++at) {
        for (const uint32_t flip : {0x1u, 0x2u, 0x7u, 0x10000u, 0xffffu}) {
            auto damaged = spirv;
            damaged[at] ^= flip;
            try {
                const SpirvModule module = parseSpirv(damaged);
                analyzeAccess(module, 4);
            } catch (const ShaderError&) {
            }
        }
    }
}

} // namespace
} // namespace kp::shader
