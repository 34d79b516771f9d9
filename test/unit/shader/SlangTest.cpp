// SPDX-License-Identifier: Apache-2.0
//
// Slang, by its own library. Tests that need the library are skipped without it; set
// KOMPUTE_SLANG_LIBRARY if it is not where the system looks.
#include <kompute/Shader.hpp>

#include <map>
#include <set>
#include <thread>

#include "ShaderTestTools.hpp"
#include "shader/Validate.hpp"
#include "shader/compile/CompileCache.hpp"
#include "shader/compile/CompileLog.hpp"
#include "shader/reflect/Reflection.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp {
namespace {

using test::contains;
using test::shaderErrorOf;
using test::TemporaryFolder;
using test::vulkan;

CompileOptions slangOptions(const std::string& fileName = "kernel.slang") {
    CompileOptions options;
    options.language = ShaderLanguage::eSlang;
    options.fileName = fileName;
    return options;
}

/// Returns a kernel that sets values[0].
std::string settingKernel(const std::string& value, const std::string& before = "") {
    return before +
           "RWStructuredBuffer<float> values;\n"
           "[numthreads(1, 1, 1)] void main() { values[0] = " +
           value + "; }\n";
}

/// Reads a log with a located fault, whose column only the source tells in 2025, and one without a
/// place.
void expectBothFaults(const std::string& log) {
    const auto faults = shader::readSlangLog(log, {{"a b(1).slang", "one\n  floot x = 1;\n"}});
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0].file, "a b(1).slang");
    EXPECT_EQ(faults[0].line, 2u);
    EXPECT_EQ(faults[0].column, 3u);
    EXPECT_EQ(faults[0].message, "undefined identifier 'floot'");
    EXPECT_EQ(faults[1].line, 0u);
    EXPECT_EQ(faults[1].message, "nowhere");
}

TEST(SlangLog, IsReadInTheFormatOf2025) {
    const std::string log = "warning 1: nothing\n"
                            "a b(1).slang(2): error 30015: undefined identifier 'floot'.\n"
                            "  floot x = 1;\n"
                            "  ^~~~~\n"
                            "(0): error 30016: nowhere\n";
    expectBothFaults(log);
}

TEST(SlangLog, IsReadInTheFormatOf2026) {
    const std::string log = "error[E30015]: undefined identifier\n"
                            " --> a b(1).slang:2:3\n"
                            "  |\n"
                            "2 | floot x = 1;\n"
                            "  | ^^^^^ undefined identifier 'floot'.\n"
                            "--'\n"
                            "note: elsewhere\n"
                            " --> other.slang:7:8\n"
                            "error[E30016]: nowhere\n";
    expectBothFaults(log);
}

TEST(SlangLog, AcceptsAnyText) {
    for (const std::string text :
         {"", "error", "error[", "error: ", "error[E1]: x\n -->", "error[E1]: x\n --> :::\n^",
          "(): error ", "): error 1", "a(99999999999): error 1: x\n^^^", "fatal error 1: x\n|\n|"})
        EXPECT_NO_THROW(shader::readSlangLog(text, {{"", ""}})) << text;
}

// Validators of 2023 know no source language above 10, and Slang is 11.
TEST(SlangModule, IsValidWithoutItsSourceLanguage) {
    std::vector<uint32_t> spirv =
        compile("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}");
    for (const auto& each : shader::parseSpirv(spirv).instructions)
        if (each.opcode == spv::OpSource)
            spirv[static_cast<size_t>(&each.words[1] - spirv.data())] = 4000;
    const auto error = shaderErrorOf([&] { shader::validate(spirv, vulkan(1)); });
    EXPECT_TRUE(contains(error.what(), "may not know a newer feature")) << error.what();
    const std::vector<uint32_t> known = shader::withKnownSourceLanguages(spirv);
    EXPECT_EQ(known.size(), spirv.size());
    EXPECT_NO_THROW(shader::validate(known, vulkan(1)));
}

// First, because an open library stays open.
TEST(SlangLibrary, IsNamedInTheErrorIfItIsMissing) {
    CompileOptions options = slangOptions();
    const auto failure = [&](const char* library) -> std::string {
        const test::ScopedEnvironment named("KOMPUTE_SLANG_LIBRARY", library);
        try {
            compile(settingKernel("1"), options);
        } catch (const Unsupported& error) {
            return error.what();
        }
        return "";
    };
    const std::string text = failure("/no/such/libslang.so");
    if (text.empty())
        GTEST_SKIP() << "an earlier test of this process has opened the library";
    EXPECT_TRUE(contains(text, "KOMPUTE_SLANG_LIBRARY")) << text;
    EXPECT_TRUE(contains(text, "/no/such/libslang.so: ")) << text;
    EXPECT_TRUE(contains(text, "pip install slangpy")) << text;
#ifdef __linux__
    EXPECT_TRUE(contains(failure("libc.so.6"), "it has no function spCreateSession"));
#endif
}

class Slang : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            compile(settingKernel("1"), slangOptions());
        } catch (const Unsupported& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

TEST_F(Slang, CompilesBindingsPushConstantsAndSpecializationConstants) {
    const auto spirv = compile("struct Settings { float factor; uint count; };\n"
                               "[[vk::binding(0)]] RWStructuredBuffer<float> values;\n"
                               "[[vk::binding(3)]] StructuredBuffer<float4> others;\n"
                               "[[vk::push_constant]] ConstantBuffer<Settings> settings;\n"
                               "[[vk::constant_id(5)]] const uint steps = 3;\n"
                               "[shader(\"compute\")] [numthreads(64, 2, 1)]\n"
                               "void main(uint3 id : SV_DispatchThreadID) {\n"
                               "    for (uint i = 0; i < steps; ++i)\n"
                               "        if (id.x < settings.count)\n"
                               "            values[id.x] *= settings.factor + others[id.x].y;\n"
                               "}\n",
                               slangOptions());
    shader::validate(spirv, vulkan(1));
    const auto reflection = shader::reflect(spirv);
    EXPECT_EQ(reflection.localSize, (std::array<uint32_t, 3>{64, 2, 1}));
    ASSERT_EQ(reflection.bindings.size(), 2u);
    EXPECT_EQ(reflection.bindings[0].name, "values");
    EXPECT_EQ(reflection.bindings[0].elementType, shader::ScalarType::eFloat32);
    EXPECT_TRUE(reflection.bindings[0].writes);
    EXPECT_EQ(reflection.bindings[1].binding, 3u);
    EXPECT_EQ(reflection.bindings[1].name, "others");
    EXPECT_EQ(reflection.bindings[1].elementComponents, 4u);
    EXPECT_FALSE(reflection.bindings[1].writes);
    ASSERT_EQ(reflection.pushConstants.size(), 2u);
    EXPECT_EQ(reflection.pushConstants[0].name, "factor");
    EXPECT_EQ(reflection.pushConstants[1].name, "count");
    EXPECT_EQ(reflection.pushConstants[1].offset, 4u);
    ASSERT_EQ(reflection.specConstants.size(), 1u);
    EXPECT_EQ(reflection.specConstants[0].id, 5u);
    EXPECT_EQ(reflection.specConstants[0].name, "steps");
    EXPECT_EQ(reflection.specConstants[0].defaultBits, 3u);
}

TEST_F(Slang, TakesTheEntryPointThatTheOptionsName) {
    CompileOptions options = slangOptions();
    options.entryPoint = "Second";
    const std::string source = "RWStructuredBuffer<float> a, b;\n"
                               "[numthreads(2, 1, 1)] void First() { a[0] = 1; }\n"
                               "[numthreads(3, 1, 1)] void Second() { b[0] = 1; }\n";
    const auto spirv = compile(source, options);
    EXPECT_EQ(shader::reflect(spirv, "Second").localSize[0], 3u);
    options.entryPoint = "Third";
    const auto error = shaderErrorOf([&] { compile(source, options); });
    EXPECT_TRUE(contains(error.what(), "there is no function 'Third'")) << error.what();
}

TEST_F(Slang, TargetsTheVulkanVersion) {
    CompileOptions options = slangOptions();
    for (const auto& [minor, version] : std::map<uint32_t, uint32_t>{
             {1, 0x00010300}, {2, 0x00010500}, {3, 0x00010500}, {4, 0x00010500}}) {
        options.vulkanVersion = vulkan(minor);
        const auto spirv = compile(settingKernel("2"), options);
        EXPECT_EQ(spirv[1], version) << minor;
        EXPECT_NO_THROW(shader::validate(spirv, vulkan(minor)));
    }
}

TEST_F(Slang, TakesMacrosWithAndWithoutParameters) {
    CompileOptions options = slangOptions();
    options.defines = {{"SIZE", "7"}, {"TWICE(x)", "((x) * 2)"}};
    const std::string source = "RWStructuredBuffer<float> v;\n"
                               "[numthreads(TWICE(SIZE), 1, 1)] void main() { v[0] = wrong; }\n";
    const auto error = shaderErrorOf([&] { compile(source, options); });
    EXPECT_EQ(error.line(), 2u) << error.what();
    std::string right = source;
    right.replace(right.find("wrong"), 5, "1");
    EXPECT_EQ(shader::reflect(compile(right, options)).localSize[0], 14u);
}

TEST_F(Slang, LocatesErrors) {
    const TemporaryFolder folder;
    const auto file = folder.write("lib/part.slang", "float part()\n{\n    return floot;\n}\n");
    const auto error = shaderErrorOf([&] {
        compile(settingKernel("part()", "#include \"lib/part.slang\"\n"),
                slangOptions(folder.path("kernel.slang")));
    });
    EXPECT_EQ(error.file(), file);
    EXPECT_EQ(error.line(), 3u);
    EXPECT_EQ(error.column(), 12u);
    EXPECT_TRUE(contains(error.what(), "'floot'")) << error.what();
    EXPECT_TRUE(contains(error.what(), " 3 |     return floot;\n   |            ^~~~~"))
        << error.what();
}

TEST_F(Slang, ImportsModulesAndIncludesFilesOfTheAllowedFolders) {
    const TemporaryFolder folder;
    folder.write("source/near.slang", "float near() { return 1; }\n");
    folder.write("modules/far.slang", "module far;\npublic float distance() { return 2; }\n");
    folder.write("secret.slang", "float secret() { return 3; }\n");
    CompileOptions options = slangOptions(folder.path("source/kernel.slang"));
    options.includeFolders = {folder.path("modules")};
    const std::string both =
        settingKernel("near() + distance()", "#include \"near.slang\"\nimport far;\n");
    EXPECT_NO_THROW(compile(both, options));
    options.includes = IncludePolicy::eNone;
    EXPECT_THROW(compile(both, options), ShaderError);

    options.includes = IncludePolicy::eFolders;
    for (const std::string& name : {std::string("../secret.slang"), folder.path("secret.slang")}) {
        const std::string source = settingKernel("secret()", "#include \"" + name + "\"\n");
        options.includes = IncludePolicy::eFolders;
        const auto error = shaderErrorOf([&] { compile(source, options); });
        EXPECT_TRUE(contains(error.what(), "is outside the folder")) << error.what();
        options.includes = IncludePolicy::eAnywhere;
        EXPECT_NO_THROW(compile(source, options));
    }
}

TEST_F(Slang, AsksTheIncluderForEachPath) {
    class Archive : public ShaderIncluder {
    public:
        std::set<std::string> asked;
        bool fails = false;
        bool include(const std::string& name, const std::string&, std::string&,
                     std::string& contents) override {
            if (fails)
                throw std::logic_error("planted");
            asked.insert(name);
            contents = "float archived() { return 4; }\n";
            return name == "archive/a.slang";
        }
    } archive;
    CompileOptions options = slangOptions();
    options.includeFolders = {"archive"};
    options.includer = &archive;
    const std::string source = settingKernel("archived()", "#include \"a.slang\"\n");
    EXPECT_NO_THROW(compile(source, options));
    EXPECT_EQ(archive.asked, (std::set<std::string>{"a.slang", "archive/a.slang"}));
    archive.fails = true;
    EXPECT_THROW(compile(source, options), std::logic_error);
}

TEST_F(Slang, CachesUntilAnIncludedFileChangesOrAnEarlierOneAppears) {
    const TemporaryFolder folder;
    folder.write("b/value.slang", "static const float kValue = 1;\n");
    CompileOptions options = slangOptions(folder.path("kernel.slang"));
    options.includeFolders = {folder.path("a"), folder.path("b")};
    options.cacheFolder = folder.path("cache");
    const std::string source = settingKernel("kValue", "#include \"value.slang\"\n");
    EXPECT_FALSE(findCompiled(source, options));
    const auto first = compile(source, options);
    EXPECT_EQ(findCompiled(source, options), first);
    shader::clearCompileCache(); // from the disk
    EXPECT_EQ(findCompiled(source, options), first);
    CompileOptions hlsl = options;
    hlsl.language = ShaderLanguage::eHlsl;
    EXPECT_FALSE(findCompiled(source, hlsl));
    folder.write("b/value.slang", "static const float kValue = 2;\n");
    EXPECT_FALSE(findCompiled(source, options));
    const auto second = compile(source, options);
    EXPECT_NE(second, first);
    folder.write("a/value.slang", "static const float kValue = 3;\n");
    EXPECT_FALSE(findCompiled(source, options));
    EXPECT_NE(compile(source, options), second);
}

TEST_F(Slang, KeepsLinesForDebuggers) {
    CompileOptions options = slangOptions();
    options.debugInfo = true;
    const auto spirv = compile(settingKernel("5"), options);
    EXPECT_NO_THROW(shader::validate(spirv, vulkan(1)));
    EXPECT_GT(spirv.size(), compile(settingKernel("5"), slangOptions()).size());
    EXPECT_EQ(shader::reflect(spirv).bindings.at(0).name, "values");
}

TEST_F(Slang, RefusesLargeSources) {
    const std::string deep(9000, '(');
    const auto error = shaderErrorOf(
        [&] { compile(settingKernel(deep + "1" + std::string(9000, ')')), slangOptions()); });
    EXPECT_TRUE(contains(error.what(), "8000 operators")) << error.what();
}

TEST_F(Slang, CompilesOnSeveralThreads) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([i] {
            EXPECT_NO_THROW(compile(settingKernel("1" + std::to_string(i)), slangOptions()));
        });
    for (std::thread& thread : threads)
        thread.join();
}

#ifndef _WIN32
TEST_F(Slang, CompilesInAChildProcess) {
    CompileOptions options = slangOptions();
    options.isolate = true;
    EXPECT_EQ(compile(settingKernel("6"), options), compile(settingKernel("6"), slangOptions()));
    const auto error = shaderErrorOf([&] { compile(settingKernel("wrong"), options); });
    EXPECT_EQ(error.line(), 2u);
}
#endif

TEST_F(Slang, IsTheLanguageOfFilesOfItsExtension) {
    const TemporaryFolder folder;
    EXPECT_NO_THROW(compileFile(folder.write("kernel.SLANG", settingKernel("7"))));
    EXPECT_THROW(compileFile(folder.write("kernel.comp", settingKernel("7"))), ShaderError);
}

} // namespace
} // namespace kp
