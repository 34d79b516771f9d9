// SPDX-License-Identifier: Apache-2.0
#include <kompute/Shader.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "ShaderTestTools.hpp"
#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/Validate.hpp"
#include "shader/reflect/Reflection.hpp"
#include "unit/TestThreads.hpp"

namespace kp {
namespace {

using test::contains;
using test::glsl;
using test::shaderErrorOf;
using test::vulkan;

const std::string kBuffer = "layout(binding = 0) buffer Data { float data[]; };";

CompileOptions named(const std::string& name) {
    CompileOptions options;
    options.fileName = name;
    return options;
}

CompileOptions hlslOptions(const std::string& entryPoint = "main") {
    CompileOptions options;
    options.language = ShaderLanguage::eHlsl;
    options.entryPoint = entryPoint;
    options.fileName = "kernel.hlsl";
    return options;
}

TEST(Compile, ProducesAValidModule) {
    const auto spirv = compile(glsl(kBuffer, "data[0] = 1.0;"));
    ASSERT_GT(spirv.size(), 5u);
    EXPECT_EQ(spirv[0], 0x07230203u);
    EXPECT_NO_THROW(shader::validate(spirv, vulkan(1)));
}

TEST(Compile, TakesTheTargetFromTheVulkanVersion) {
    const std::string source = glsl(kBuffer, "data[0] = 2.0;");
    const uint32_t expected[] = {0x00010000, 0x00010300, 0x00010500, 0x00010500, 0x00010500};
    for (uint32_t minor = 0; minor <= 4; ++minor) {
        CompileOptions options;
        options.vulkanVersion = vulkan(minor);
        const auto spirv = compile(source, options);
        EXPECT_EQ(spirv[1], expected[minor]) << "Vulkan 1." << minor;
        EXPECT_NO_THROW(shader::validate(spirv, vulkan(minor))) << "Vulkan 1." << minor;
    }
    EXPECT_EQ(compile(source)[1], 0x00010300u);
    CompileOptions options;
    options.vulkanVersion = 11;
    EXPECT_THROW(compile(source, options), InvalidArgument);
}

TEST(Compile, NeedsNoVersionDirective) {
    EXPECT_NO_THROW(compile("layout(local_size_x = 4) in;\n" + kBuffer +
                            "\nvoid main() { data[gl_GlobalInvocationID.x] = 1.0; }"));
    EXPECT_NO_THROW(compile("#version 310 es\nlayout(local_size_x = 1) in;\n" + kBuffer +
                            "\nvoid main() { data[0] = 1.0; }"));
}

TEST(Compile, SkipsAByteOrderMark) {
    EXPECT_NO_THROW(compile("\xEF\xBB\xBF" + glsl(kBuffer, "data[0] = 3.0;")));
}

TEST(Compile, NamesTheEntryPoint) {
    CompileOptions options;
    for (const char* name : {"fill", "a_name_of_a_length_that_needs_many_words", "abc"}) {
        options.entryPoint = name;
        const auto spirv = compile(glsl(kBuffer, "data[0] = 4.0;"), options);
        EXPECT_NO_THROW(shader::validate(spirv, vulkan(1)));
        EXPECT_EQ(shader::reflect(spirv, name).bindings.size(), 1u);
        EXPECT_THROW(shader::reflect(spirv, "main"), ShaderError);
    }
    options.entryPoint = "";
    EXPECT_THROW(compile(glsl(kBuffer, ""), options), InvalidArgument);
}

TEST(Compile, DefinesMacros) {
    CompileOptions options;
    options.defines = {{"SIZE", "8"}, {"TWICE(x)", "((x) * 2)"}, {"FLAG", ""}};
    const auto spirv = compile("#version 450\nlayout(local_size_x = TWICE(SIZE)) in;\n" + kBuffer +
                                   "\n#ifdef FLAG\nvoid main() { data[0] = SIZE; }\n#endif\n",
                               options);
    EXPECT_EQ(shader::reflect(spirv).localSize[0], 16u);
}

TEST(Compile, RefusesMalformedDefines) {
    const std::string source = glsl(kBuffer, "data[0] = 1.0;");
    for (const char* name : {"", "2X", "A B", "A\n#error", "F(x", "-D"}) {
        CompileOptions options;
        options.defines = {{name, "1"}};
        EXPECT_THROW(compile(source, options), InvalidArgument) << name;
    }
    CompileOptions options;
    options.defines = {{"X", "1\n#error planted"}};
    EXPECT_THROW(compile(source, options), InvalidArgument);
}

TEST(Compile, LocatesAnError) {
    CompileOptions options = named("my shader:2.comp");
    options.defines = {{"A", "1"}, {"B", "2"}};
    const auto error = shaderErrorOf([&] {
        compile("#version 450\n" + kBuffer + "\nvoid main()\n{\n\tdata[0] = foo + 1.0;\n}\n",
                options);
    });
    EXPECT_EQ(error.file(), "my shader:2.comp");
    EXPECT_EQ(error.line(), 5u);
    EXPECT_EQ(error.column(), 12u);
    EXPECT_EQ(error.code(), ErrorCode::eShader);
    EXPECT_TRUE(contains(error.what(), "my shader:2.comp:5:12: error: 'foo'"));
    EXPECT_TRUE(contains(error.what(), "\n 5 | \tdata[0] = foo + 1.0;\n"));
    EXPECT_TRUE(contains(error.what(), "\n   | \t          ^~~"));
    EXPECT_TRUE(contains(error.log(), "undeclared identifier"));
}

TEST(Compile, DescribesASyntaxErrorInPlainWords) {
    const auto error =
        shaderErrorOf([] { compile("#version 450\nvoid main()\n{\n    int a = 1\n}\n"); });
    EXPECT_EQ(error.line(), 5u);
    EXPECT_TRUE(contains(error.what(), "unexpected '}'"));
    EXPECT_FALSE(contains(error.what(), "RIGHT_BRACE"));
}

TEST(Compile, HonoursLineDirectives) {
    const auto error = shaderErrorOf(
        [] { compile("#version 450\n#line 100\nvoid main() { int a = nothing; }\n"); });
    EXPECT_GE(error.line(), 99u);
    EXPECT_LE(error.line(), 101u);
}

TEST(Compile, RefusesSourcesThatAreNotShaders) {
    EXPECT_TRUE(contains(shaderErrorOf([] { compile(""); }).what(), "empty"));
    EXPECT_TRUE(contains(shaderErrorOf([] { compile(" \n\t\n"); }).what(), "empty"));
    EXPECT_THROW(compile("\x01\x02\xff garbage"), ShaderError);
    EXPECT_THROW(compile(std::string(100, '\0')), ShaderError);
    EXPECT_THROW(compile("#version 450\nvoid other() {}\n"), ShaderError);
    EXPECT_THROW(compile("#version 9999\nvoid main() {}\n"), ShaderError);
    EXPECT_THROW(compile("#version 450\nvoid main() { gl_Position = vec4(0); }\n"), ShaderError);
    EXPECT_THROW(compile("#version 450\nvoid main() {"), ShaderError);
    EXPECT_THROW(compile("#version 450\n/* void main() {}"), ShaderError);
}

TEST(Compile, RefusesExpressionsThatWouldOverflowTheStack) {
    std::string sum = "1.0";
    for (int i = 0; i < 100000; ++i)
        sum += "+data[1]";
    const auto error = shaderErrorOf([&] { compile(glsl(kBuffer, "\ndata[0] = " + sum + ";")); });
    EXPECT_TRUE(contains(error.what(), "operators"));
    EXPECT_EQ(error.line(), 7u);
    EXPECT_THROW(compile(glsl("", "float x = " + std::string(50000, '(') + "1" +
                                      std::string(50000, ')') + ";")),
                 ShaderError);
    EXPECT_NO_THROW(compile(glsl(kBuffer, "// " + std::string(20000, '-') + "\n/*" +
                                              std::string(20000, '*') + "*/ data[0] = 1.0;")));
}

TEST(Compile, CompilesHlsl) {
    const auto spirv = compile("StructuredBuffer<float> source : register(t0);\n"
                               "RWStructuredBuffer<float> result : register(u1);\n"
                               "[numthreads(32, 2, 1)]\n"
                               "void Scale(uint3 id : SV_DispatchThreadID)\n"
                               "{ result[id.x] = source[id.x] * 2; }\n",
                               hlslOptions("Scale"));
    EXPECT_NO_THROW(shader::validate(spirv, vulkan(1)));
    const auto reflection = shader::reflect(spirv, "Scale");
    ASSERT_EQ(reflection.bindings.size(), 2u);
    EXPECT_EQ(reflection.localSize, (std::array<uint32_t, 3>{32, 2, 1}));
    EXPECT_EQ(reflection.bindings[0].name, "source");
    EXPECT_TRUE(reflection.bindings[0].reads);
    EXPECT_FALSE(reflection.bindings[0].writes);
    EXPECT_EQ(reflection.bindings[1].binding, 1u);
    EXPECT_FALSE(reflection.bindings[1].reads);
    EXPECT_TRUE(reflection.bindings[1].writes);
}

TEST(Compile, NumbersHlslBindingsWithoutRegisters) {
    const auto spirv = compile("StructuredBuffer<float> a;\nRWStructuredBuffer<float> b;\n"
                               "[numthreads(1, 1, 1)] void main() { b[0] = a[0]; }\n",
                               hlslOptions());
    const auto reflection = shader::reflect(spirv);
    ASSERT_EQ(reflection.bindings.size(), 2u);
    EXPECT_EQ(reflection.bindings[0].name, "a");
    EXPECT_EQ(reflection.bindings[1].name, "b");
}

TEST(Compile, LocatesAnHlslError) {
    const auto error = shaderErrorOf([] {
        compile("RWStructuredBuffer<float> a : register(u0);\n[numthreads(1, 1, 1)]\n"
                "void main()\n{\n    a[0] = unknown;\n}\n",
                hlslOptions());
    });
    EXPECT_EQ(error.file(), "kernel.hlsl");
    EXPECT_EQ(error.line(), 5u);
    EXPECT_TRUE(contains(error.what(), "'unknown'"));
}

TEST(Compile, ExplainsHlslRegisterCollisions) {
    const auto error = shaderErrorOf([] {
        compile("StructuredBuffer<float> in0 : register(t0);\n"
                "RWStructuredBuffer<float> out0 : register(u0);\n"
                "[numthreads(1, 1, 1)] void main() { out0[0] = in0[0]; }\n",
                hlslOptions());
    });
    EXPECT_TRUE(contains(error.what(), "'in0'"));
    EXPECT_TRUE(contains(error.what(), "'out0'"));
    EXPECT_TRUE(contains(error.what(), "binding 0"));
}

TEST(Compile, NamesAMissingHlslEntryPoint) {
    const auto error = shaderErrorOf(
        [] { compile("[numthreads(1, 1, 1)] void main() {}\n", hlslOptions("Absent")); });
    EXPECT_TRUE(contains(error.what(), "Absent"));
}

TEST(Compile, AddsDebugInformationOnRequest) {
    const std::string source = glsl(kBuffer, "float value = 5.0; data[0] = value;");
    CompileOptions options;
    const auto plain = compile(source, options);
    options.debugInfo = true;
    const auto debug = compile(source, options);
    EXPECT_GT(debug.size(), plain.size());
    EXPECT_NO_THROW(shader::validate(debug, vulkan(1)));
}

// A fault of glslang 12 showed only in a heap that was used before.
TEST(Compile, AddsDebugInformationToEveryShaderOfAProcess) {
    const std::string body = "if (data[0] > 1.0) data[1] = 2.0;\n"
                             "for (int i = 0; i < 3; ++i) { data[i] = 1.0; }";
    const std::string hlsl = "RWStructuredBuffer<float> data;\n"
                             "[numthreads(1, 1, 1)] void main() {\n" +
                             body + "\n}\n";
    for (int round = 0; round < 3; ++round) {
        CompileOptions options;
        options.debugInfo = true;
        options.cacheFolder = "off";
        options.defines = {{"ROUND", std::to_string(round)}};
        const auto expectDebugInfo = [&](const std::vector<uint32_t>& spirv) {
            EXPECT_NO_THROW(shader::validate(spirv, vulkan(1)));
            EXPECT_TRUE(std::ranges::any_of(
                shader::parseSpirv(spirv).instructions,
                [](const auto& instruction) { return instruction.opcode == spv::OpLine; }));
        };
        expectDebugInfo(compile(glsl(kBuffer, body), options));
        for (const char* name : {"LogisticRegression", "OpMult", "FillBuffer", "CopyBuffer"})
            expectDebugInfo(compileFile(
                formatted("{}/shaders/Shader{}.comp", KOMPUTE_SOURCE_FOLDER, name), options));
        options.language = ShaderLanguage::eHlsl;
        expectDebugInfo(compile(hlsl, options));
    }
}

TEST(Compile, CompilesDebugPrintf) {
    const auto spirv = compile("#version 450\n#extension GL_EXT_debug_printf : enable\n" + kBuffer +
                               "void main() { debugPrintfEXT(\"%f\", data[0]); }");
    EXPECT_NO_THROW(shader::validate(spirv, vulkan(1)));
    EXPECT_EQ(test::accessesOf(spirv), (test::Accesses{{0, "r"}}));
}

TEST(Compile, CompilesLargeWorkgroups) {
    EXPECT_NO_THROW(compile("#version 450\nlayout(local_size_x = 2048, local_size_z = 128) in;\n" +
                            kBuffer + "void main() { data[0] = 1.0; }"));
}

TEST(CompileFile, TakesTheLanguageFromTheFileName) {
    const test::TemporaryFolder folder;
    const auto glslFile = folder.write("fill.comp", glsl(kBuffer, "data[0] = 1.0;"));
    EXPECT_EQ(compileFile(glslFile)[0], 0x07230203u);
    const auto hlslFile = folder.write("fill.HLSL", "RWStructuredBuffer<float> a : register(u0);\n"
                                                    "[numthreads(1, 1, 1)]\n"
                                                    "void main() { a[0] = 1; }\n");
    EXPECT_EQ(compileFile(hlslFile)[0], 0x07230203u);
    const auto broken = folder.write("broken.comp", "#version 450\nvoid main() { nothing(); }\n");
    const auto error = shaderErrorOf([&] { compileFile(broken); });
    EXPECT_EQ(error.file(), broken);
    EXPECT_EQ(error.line(), 2u);
}

TEST(CompileFile, NamesAFileThatItCannotRead) {
    const test::TemporaryFolder folder;
    for (const std::string& path : {folder.path("absent.comp"), folder.path("")}) {
        try {
            compileFile(path);
            ADD_FAILURE() << path;
        } catch (const InvalidArgument& error) {
            EXPECT_TRUE(contains(error.what(), path));
        }
    }
}

TEST(Compile, CachesResults) {
    std::string body;
    for (int i = 0; i < 2000; ++i)
        body += "data[" + std::to_string(i) + "] = sin(data[" + std::to_string(i + 1) + "]);\n";
    const std::string source = glsl(kBuffer, body);
    const auto time = [&] {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(compile(source)[0], 0x07230203u);
        return std::chrono::steady_clock::now() - start;
    };
    const auto first = time();
    auto second = time();
    for (int i = 0; i < 5; ++i)
        second = std::min(second, time());
    EXPECT_LT(second * 5, first);
}

TEST(Compile, CompilesInManyThreadsAtOnce) {
    constexpr int kThreads = 8;
    constexpr int kShaders = 6;
    std::atomic<int> wrong = 0;
    test::runInThreads(kThreads, [&](int number) {
        for (int i = 0; i < kShaders; ++i) {
            const uint32_t size = 1 + static_cast<uint32_t>(number * kShaders + i);
            const std::string source =
                "#version 450\nlayout(local_size_x = " + std::to_string(size) + ") in;\n" +
                kBuffer + "void main() { data[0] = exp(data[1]); }";
            const auto spirv = compile(source);
            shader::validate(spirv, vulkan(1));
            wrong += shader::reflect(spirv).localSize[0] == size ? 0 : 1;
            try {
                compile("#version 450\nvoid main() { missing" + std::to_string(size) + "(); }");
                ++wrong;
            } catch (const ShaderError& error) {
                wrong += contains(error.what(), "'missing" + std::to_string(size) + "'") ? 0 : 1;
            }
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(Compile, FindsOnlyWhatWasCompiledBefore) {
    const std::string source = glsl(kBuffer, "data[0] = 31.5;");
    CompileOptions options = named("found.comp");
    options.cacheFolder = "off";
    EXPECT_FALSE(findCompiled(source, options));
    const auto spirv = compile(source, options);
    EXPECT_EQ(findCompiled(source, options), spirv);
    EXPECT_EQ(findCompiled("\xEF\xBB\xBF" + source, options), spirv);
    options.fileName = "another.comp";
    EXPECT_FALSE(findCompiled(source, options));
    EXPECT_THROW(static_cast<void>(findCompiled(" \n", options)), ShaderError);
    EXPECT_THROW(static_cast<void>(findCompiledFile("/no/such/file.comp")), InvalidArgument);
}

} // namespace
} // namespace kp
