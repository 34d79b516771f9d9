// SPDX-License-Identifier: Apache-2.0
//
// The guard against sources of endless work does bounded work itself, on any source.
#include "GuardTime.hpp"

#include <gtest/gtest.h>

#include "unit/TestText.hpp"

namespace kp::shader {
namespace {

using test::numbered;
using test::repeated;

std::string filled(const std::string& text, size_t bytes = kMaxSourceBytes) {
    return repeated(text, bytes / text.size());
}

void expectFast(const std::string& source) {
    SCOPED_TRACE(source.substr(0, 100));
    ASSERT_LE(source.size(), kMaxSourceBytes);
    EXPECT_LT(test::guardSeconds(source), test::kMaxGuardSeconds);
}

TEST(GuardTime, IsBoundedForManyDefinitionsOfOneName) {
    for (const size_t bytes : {16'000, 1'000'000, 16'000'000}) {
        expectFast(filled("#define X X X X\n", bytes) + "X\n");
        expectFast(numbered("#define X X X X @\n", bytes / 24) + "X\n");
        expectFast(numbered("#define X(a) X(X(a)) @\n", bytes / 32) + "X(X(1))\n");
        expectFast(numbered("#define X @\n", bytes / 32) + filled("X\n", bytes / 4));
        expectFast(numbered("#define A@ A~ A~ B\n#define B A@\n", bytes / 64) + "B\n");
    }
}

TEST(GuardTime, IsBoundedForParametersAndArguments) {
    const std::string many = numbered("p@,", 1'000'000);
    expectFast("#define F(" + many + "x) " + filled("y ", 4'000'000) + "\n");
    expectFast("#define F(" + many + "x) " + filled("F(x,y) ", 4'000'000) + "\nF(1)\n");
    expectFast("#define F(" + many + "x) x\n" + filled("F(F(1))\n", 4'000'000));
    expectFast("#define F(x) x\n" + filled("F(", 8'000'000) + filled(")", 4'000'000));
    expectFast("#define F(x) x\nF(" + filled(",", 8'000'000) + ")");
}

TEST(GuardTime, IsBoundedForChains) {
    expectFast(numbered("#define A@ A~\n", 700'000) + "A700000\n");
    expectFast(numbered("#define A~ A@\n", 700'000) + "A0\n");
}

TEST(GuardTime, IsBoundedForSourcesOfTheMaximalSize) {
    for (const char* text : {"\n",         " ",
                             "+",          "a ",
                             "1 ",         "\\\n",
                             "//\n",       "/**/",
                             "/*",         "#\n",
                             "\"",         "#define a\n",
                             "struct A {", "struct A{int a;};",
                             "const ",     "const int a=b;",
                             "case 1:",    "f(",
                             "{",          "(",
                             "a b,"})
        expectFast(filled(text));
    expectFast(numbered("#define a@\n", 1'000'000));
    expectFast(numbered("struct A@ { A~ a; };\n", 500'000));
    expectFast(numbered("const int c@ = c~ + gl_WorkGroupSize;\n", 300'000));
    expectFast(numbered("void f@() { f~(); f1(); }\n", 400'000));
}

/// Unclosed brackets, up to the limits of nesting and tokens.
TEST(GuardTime, IsBoundedForDeclarationsInsideEachOther) {
    expectFast(repeated("struct A{", 7'900) + filled("a;", 950'000));
    expectFast(repeated("const ", 100'000) + filled("a ", 1'700'000));
    expectFast(filled("void f(const a=b,", 2'000'000));
}

/// Each file alone is within the limits.
TEST(GuardTime, CountsWhatAllFilesExpandTo) {
    const auto addAll = [](const std::string& text, auto&& nameOf) {
        SourceLimits limits;
        limits.addMacro("BIG", repeated("x ", 1000));
        for (size_t i = 0; i < 1000; ++i)
            limits.addFile(nameOf(i), text);
    };
    const std::string text = repeated("BIG\n", 900);
    EXPECT_THROW(addAll(text, [](size_t) { return "one"; }), ShaderError);
    EXPECT_THROW(addAll(text, [](size_t i) { return "file" + std::to_string(i); }), ShaderError);
    EXPECT_NO_THROW(addAll("BIG\n", [](size_t) { return "one"; }));
}

/// An includer may give different texts the same name.
TEST(GuardTime, MeasuresEachTextOfAName) {
    SourceLimits limits;
    limits.addFile("name", "#define A0 x\n" + numbered("#define A@ A~ A~\n", 60));
    EXPECT_THROW(limits.addFile("name", "A60\n"), ShaderError);
}

TEST(GuardTime, AllowsManyFilesThatDefineMacros) {
    SourceLimits limits;
    for (size_t i = 0; i < 100; ++i)
        limits.addFile(
            "file" + std::to_string(i),
            numbered("#define M" + std::to_string(i) + "_@(a, b) (max(a, b) + @)\n", 50) +
                repeated("float f() { return M0_1(1.0, 2.0); }\n", 100));
}

TEST(GuardTime, AllowsADefinitionToBeRepeated) {
    SourceLimits limits;
    limits.addFile("file", filled("#define X X X X\n", 1'000'000) + "X\n");
}

} // namespace
} // namespace kp::shader
