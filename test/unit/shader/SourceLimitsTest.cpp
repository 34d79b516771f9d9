// SPDX-License-Identifier: Apache-2.0
//
// Sources that made the compiler crash or never return, through compile(); and large ones that
// must compile.
#include "shader/limits/SourceLimits.hpp"

#include <csignal>
#include <ctime>
#include <functional>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "ShaderTestTools.hpp"
#include "base/Text.hpp"
#include "shader/Validate.hpp"

namespace kp::shader {
namespace {

using test::contains;
using test::glsl;
using test::numbered;
using test::repeated;
using test::shaderErrorOf;

const std::string kData = "layout(binding = 0) buffer Data { float data[]; };\n";

CompileOptions uncached() {
    CompileOptions options;
    options.cacheFolder = "off";
    return options;
}

/// The source must be refused within a minute of processor time, with @p part in the message. It
/// takes a second, but 20 in a build without optimization; the compiler would never return.
void expectRefused(const std::string& source, const std::string& part,
                   CompileOptions options = uncached()) {
    const std::clock_t begin = std::clock();
    SCOPED_TRACE(source.substr(0, 200));
    const auto error = shaderErrorOf([&] { compile(source, options); });
    EXPECT_TRUE(contains(error.what(), part)) << error.what();
    EXPECT_GT(error.line(), 0u);
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 60);
}

void expectCompiles(const std::string& source) {
    EXPECT_NO_THROW(validate(compile(source, uncached()), test::vulkan(1)));
}

TEST(SourceLimits, RefuseDeepExpressions) {
    const std::string inside = "inside each other";
    expectRefused(glsl(kData, "data[0] = " + repeated("(data[1],", 10'000) + "1.0" +
                                  repeated(")", 10'000) + ";"),
                  inside);
    expectRefused(glsl(kData, "data[0] = " + repeated("data[1] + ", 10'000) + "1.0;"), inside);
    expectRefused(glsl(kData, "data[0] = " + repeated("-", 10'000) + "data[1];"), inside);
    expectRefused(glsl(kData, "data[0] = " + repeated("data[1], ", 10'000) + "1.0;"), inside);
    expectRefused(glsl(kData, repeated("if (data[0] > 1.0) ", 10'000) + ";"), inside);
    expectRefused(glsl(kData, repeated("if (data[0] > 1.0) {} else ", 10'000) + ";"), inside);
    expectRefused(glsl(kData, repeated("{", 10'000) + repeated("}", 10'000)), inside);
    expectRefused(glsl(kData + numbered("#define A@ A~ + A~\n", 17) + "#define A0 data[1]\n",
                       "data[0] = A17;"),
                  inside);
}

TEST(SourceLimits, RefuseGrowingMacros) {
    const std::string doubling = "#define A0 data[1]\n" + numbered("#define A@ A~ + A~\n", 60);
    const std::string functions = "#define F0(x) x\n" + numbered("#define F@(x) F~(x) F~(x)\n", 60);
    const std::string grow = "macros expand";
    expectRefused(glsl(kData + doubling, "data[0] = A60;"), grow);
    expectRefused(glsl(kData + doubling, "\n#if A60\n#endif\n"), grow);
    expectRefused(glsl(kData + functions, "F60(data[0] = 1.0;)"), grow);
    expectRefused(glsl(kData + "#define F(x) x x\n",
                       repeated("F(", 60) + "data[0] = 1.0;" + repeated(")", 60)),
                  grow);
    expectRefused(
        glsl(kData + numbered("#define A@ A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12\n", 12), "A1"),
        grow);
    expectRefused(glsl(kData + "#define LONG " + repeated("data[0] = 1.0; ", 1000) + "\n",
                       repeated("LONG\n", 1000)),
                  grow);
    expectRefused(repeated("F(", 200'000) + "\n#define F(x) x\n", "");
    CompileOptions options = uncached();
    options.defines = {{"A0", "data[1]"}};
    for (int i = 1; i < 60; ++i)
        options.defines.emplace_back(formatted("A{}", i), formatted("A{} A{}", i - 1, i - 1));
    expectRefused(glsl(kData, "data[0] = A59;"), grow, options);
}

TEST(SourceLimits, RefuseMacrosThatGrowAcrossIncludedFiles) {
    const test::TemporaryFolder folder;
    folder.write("macros.glsl", "#define A0 data[1]\n" + numbered("#define A@ A~ + A~\n", 60));
    CompileOptions options = uncached();
    options.includeFolders = {folder.path().string()};
    expectRefused("#version 450\n#include <macros.glsl>\n" + kData +
                      "void main() {\ndata[0] = A60;\n}",
                  "macros expand", options);
}

TEST(SourceLimits, RefuseFilesThatIncludeThemselvesTwice) {
    const test::TemporaryFolder folder;
    folder.write("twice.glsl", "#include \"twice.glsl\"\n#include \"twice.glsl\"\n");
    CompileOptions options = uncached();
    options.includeFolders = {folder.path().string()};
    expectRefused("#version 450\n#include <twice.glsl>\nvoid main() {}\n", "1000 files", options);
}

TEST(SourceLimits, RefuseChainsOfSpecializationConstants) {
    const std::string head = kData + "layout(constant_id = 0) const int C0 = 1;\n";
    expectRefused(glsl(head + numbered("const int C@ = C~ + 1;\n", 10'000), "data[0] = C10000;"),
                  "a chain of more than");
    expectRefused(glsl(head + numbered("const int C@ = C~ + C~;\n", 60), "data[0] = C60;"),
                  "specialization constants");
    expectRefused(
        glsl(head + numbered("const int C@ = C~ + C~;\n", 15), repeated("data[0] = C15;\n", 100)),
        "specialization constants");
}

TEST(SourceLimits, RefuseStructsOfStructs) {
    expectRefused(
        glsl(kData + "struct S0 { float x; };\n" + numbered("struct S@ { S~ a; S~ b; };\n", 27),
             "S27 s; data[0] = s.a.a.a.a.b.a == s.b.a.a.a.a.a ? 1.0 : 2.0;"),
        "the struct 'S17'");
}

TEST(SourceLimits, RefuseWhatIsComparedWithAllOfItsKind) {
    expectRefused(glsl(kData, numbered("data[@] = 1.0;\n", 40'000)), "different numbers");
    expectRefused(glsl(kData, "switch (int(data[1])) {\n" +
                                  numbered("case @: data[0] = 1.0; break;\n", 12'000) + "}"),
                  "case labels");
    expectRefused(glsl(kData + "void f0() {}\n" + numbered("void f@() { f~(); }\n", 12'000), ""),
                  "call each other");
    // Overloads of one name: each is another function for the compiler.
    expectRefused(
        glsl(kData + numbered("struct S@ { float x; };\nvoid f(S@ s) { s.x = 1.0; }\n", 3000) +
                 numbered("void g@(S@ s) { f(s); }\n", 3000),
             ""),
        "call each other");
}

TEST(SourceLimits, RefuseHugeSources) {
    expectRefused(glsl(kData, repeated("data[0] += 1.0;\n", 150'000)), "tokens");
    expectRefused(std::string(17u << 20, ' ') + "void main() {}", "bytes");
}

TEST(SourceLimits, AllowLargeSources) {
    expectCompiles(glsl(kData, "data[0] = " + repeated("data[1] + ", 7000) + "1.0;"));
    expectCompiles(glsl(kData, repeated("data[0] += 1.0;\n", 5000)));
    expectCompiles(
        glsl(kData + "const float kTable[5000] = float[](" + repeated("-1.0, ", 4'999) + "2.0);",
             "data[0] = kTable[int(data[1])];"));
    expectCompiles(glsl(kData + numbered("float f@(float x) { return x + 1.0; }\n", 1000),
                        numbered("data[@] = f@(data[0]);\n", 1000) + "switch (int(data[1])) {\n" +
                            numbered("case @: data[0] = 1.0; break;\n", 500) + "}"));
    expectCompiles(glsl(kData, "if (data[0] > 1.0) data[0] = 1.0;\n" +
                                   repeated("else if (data[0] > 1.0) { data[0] = 1.0; }\n", 100)));
    expectCompiles(glsl(kData + "#define A0 data[1]\n" + numbered("#define A@ (A~ + 1.0)\n", 200),
                        "data[0] = A200;"));
    expectCompiles(glsl(kData + "#define T T\n#define NAME(a) a##_##T\n"
                                "#define CALL(f, x) f(x)\n",
                        "data[0] = CALL(sin, 1.0);"));
    expectCompiles(glsl(kData + "layout(constant_id = 0) const int C0 = 1;\n" +
                            numbered("const int C@ = C~ + 1;\n", 100),
                        "data[0] = C100;"));
}

#if !defined(_WIN32)
TEST(SourceLimits, NeedNoStackOfTheCaller) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    std::function<void()> work = [] {
        expectCompiles(glsl(kData, "data[0] = " + repeated("data[1] + ", 7000) + "1.0;"));
    };
    pthread_t thread{};
    const auto entry = [](void* given) -> void* {
        (*static_cast<std::function<void()>*>(given))();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, entry, &work), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

/// Serves one file, and does something else for the others.
class StrangeIncluder : public ShaderIncluder {
public:
    std::function<void()> onRest;

    bool include(const std::string& name, const std::string&, std::string& resolved,
                 std::string& contents) override {
        if (name != "good.glsl")
            onRest();
        resolved = name;
        contents = "#define VALUE 2.0\n";
        return true;
    }
};

TEST(IsolatedCompile, ReturnsTheSameAsAnyOther) {
    const test::TemporaryFolder folder;
    folder.write("value.glsl", "#define VALUE 3.0\n");
    CompileOptions options = uncached();
    options.includeFolders = {folder.path().string()};
    const std::string source =
        "#version 450\n#include <value.glsl>\n" + kData + "void main() { data[0] = VALUE; }\n";
    const auto expected = compile(source, options);
    options.isolate = true;
    options.fileName = "isolated";
    const auto isolated = compile(source, options);
    EXPECT_EQ(isolated.size(), expected.size());
    const auto error = shaderErrorOf([&] { compile(source + "\nwrong\n", options); });
    EXPECT_EQ(error.line(), 6u) << error.what();
    EXPECT_EQ(error.file(), "isolated");
    EXPECT_FALSE(error.log().empty());
}

TEST(IsolatedCompile, TurnsACrashIntoAnError) {
    StrangeIncluder includer;
    CompileOptions options = uncached();
    options.includer = &includer;
    options.isolate = true;
    const auto source = [](const std::string& name) {
        return "#version 450\n#include <" + name + ">\n" + kData +
               "void main() { data[0] = VALUE; }\n";
    };
    EXPECT_NO_THROW(compile(source("good.glsl"), options));
    includer.onRest = [] { ::raise(SIGKILL); };
    EXPECT_TRUE(contains(shaderErrorOf([&] { compile(source("x.glsl"), options); }).what(),
                         "the compiler, in its own process"));
    includer.onRest = [] { throw std::logic_error("planted"); };
    EXPECT_TRUE(
        contains(shaderErrorOf([&] { compile(source("x.glsl"), options); }).what(), "planted"));
}
#else

TEST(IsolatedCompile, IsRefusedWhereThereIsNoFork) {
    CompileOptions options = uncached();
    options.isolate = true;
    EXPECT_THROW(compile(glsl(kData, "data[0] = 1.0;"), options), Unsupported);
}
#endif

} // namespace
} // namespace kp::shader
