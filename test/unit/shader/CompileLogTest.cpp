// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/CompileLog.hpp"

#include "ShaderTestTools.hpp"

namespace kp::shader {
namespace {

using test::contains;

TEST(CompileLog, ParsesTheFormatOfOldCompilers) {
    const SourceTexts sources = {{"a.comp", "one\n  x = foo(foo2, foo);\n  y = bar;\n"}};
    const auto faults = readLog("WARNING: a.comp:1: ignored\n"
                                "ERROR: a.comp:3: 'bar' : undeclared identifier \n"
                                "ERROR: a.comp:2: 'foo' : wrong\n"
                                "ERROR: a.comp:3: '' : compilation terminated \n"
                                "ERROR: 3 compilation errors.  No code generated.\n",
                                sources);
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0].file, "a.comp");
    EXPECT_EQ(faults[0].line, 3u);
    EXPECT_EQ(faults[0].column, 7u);
    EXPECT_EQ(faults[0].message, "'bar' : undeclared identifier");
    EXPECT_EQ(faults[1].column, 0u) << "'foo' occurs twice in the line";
}

TEST(CompileLog, ParsesTheFormatWithColumns) {
    const SourceTexts sources = {{"a.comp", "x = foo(foo2, foo);\n"}};
    const auto faults = readLog("ERROR: a.comp:1:16: 'foo' : wrong\n", sources);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].line, 1u);
    EXPECT_EQ(faults[0].column, 15u);
}

TEST(CompileLog, AcceptsFileNamesWithColonsAndNumbers) {
    const SourceTexts sources = {{"c:12: x/a.comp", "line\n"}, {"c", "line\n"}};
    const auto faults = readLog("ERROR: c:12: x/a.comp:1: 'line' : wrong\n"
                                "ERROR: unknown/name.glsl:77: 'x' : wrong\n"
                                "ERROR: Linking compute stage: Missing entry point\n",
                                sources);
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].file, "c:12: x/a.comp");
    EXPECT_EQ(faults[0].column, 1u);
    EXPECT_EQ(faults[1].file, "unknown/name.glsl");
    EXPECT_EQ(faults[1].line, 77u);
    EXPECT_EQ(faults[2].file, "");
    EXPECT_EQ(faults[2].line, 0u);
}

TEST(CompileLog, ParsesTheFinalErrorOfTheHlslParser) {
    const auto faults = readLog("k.hlsl(4): error at column 19, HLSL parsing failed.\n", {});
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].file, "k.hlsl");
    EXPECT_EQ(faults[0].line, 4u);
    EXPECT_EQ(faults[0].column, 19u);
}

TEST(CompileLog, AcceptsAnyText) {
    for (const std::string text :
         {"", "ERROR: ", "ERROR: :", "ERROR: ::::", "ERROR: a:99999999999999999999: x",
          "ERROR: a:1", "ERROR: a:1:", "):(", "(): error at column , HLSL"}) {
        EXPECT_NO_THROW(readLog(text, {{"a", ""}})) << text;
        EXPECT_FALSE(
            std::string(compileError(readLog(text, {{"a", ""}}), text, "file", {{"a", ""}}).what())
                .empty());
    }
}

TEST(CompileLog, ExcerptsALongLineAroundTheError) {
    const std::string line = std::string(1000, ' ') + "wrong" + std::string(1000, 'y');
    const std::string log = "ERROR: a:1: 'wrongy' : bad\n";
    const SourceTexts sources{{"a", std::string(1000, ' ') + "wrongy " + line}};
    const auto error = compileError(readLog(log, sources), log, "a", sources);
    EXPECT_EQ(error.column(), 1001u);
    EXPECT_LT(std::string(error.what()).size(), 600u);
    EXPECT_TRUE(contains(error.what(), "^~~~~~"));
}

TEST(CompileLog, ListsTenErrorsAndCountsTheRest) {
    std::string log;
    for (int i = 1; i <= 30; ++i)
        log += "ERROR: a:" + std::to_string(i) + ": 'x' : wrong\n";
    const auto error = compileError(readLog(log, {}), log, "a", {});
    EXPECT_TRUE(contains(error.what(), "a:10: error"));
    EXPECT_FALSE(contains(error.what(), "a:11: error"));
    EXPECT_TRUE(contains(error.what(), "20 more errors"));
    EXPECT_EQ(error.log(), log);
}

} // namespace
} // namespace kp::shader
