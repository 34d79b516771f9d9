// SPDX-License-Identifier: Apache-2.0
//
// Runs scripts/convert_shaders.py as a user does.

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <ShaderOpMult.hpp>

#include "ShaderTestTools.hpp"

namespace kp {
namespace {

using test::readFile;

int run(const std::string& arguments, const std::string& output) {
    const std::string command = "python3 \"" KOMPUTE_SOURCE_FOLDER
                                "/scripts/convert_shaders.py\" " +
                                arguments + " > \"" + output + "\" 2>&1";
    return std::system(command.c_str());
}

class ConvertShaders : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("python3 --version > \"/dev/null\" 2>&1") != 0 ||
            std::system("glslangValidator --version > \"/dev/null\" 2>&1") != 0) {
            GTEST_SKIP() << "needs python3 and glslangValidator";
        }
    }

    test::TemporaryFolder folder;
    const std::string log = folder.path("log.txt");
};

TEST_F(ConvertShaders, WritesTheSameHeaderAsTheBuild) {
    folder.write("in/deep/ShaderOpMult.comp",
                 readFile(KOMPUTE_SOURCE_FOLDER "/shaders/ShaderOpMult.comp"));
    const std::string arguments =
        "-p \"" + folder.path("in") + "\" -c \"" + folder.path("out") + "\" -n kp";
    ASSERT_EQ(run(arguments, log), 0) << readFile(log);
    EXPECT_EQ(readFile(log), "");
    EXPECT_TRUE(std::filesystem::exists(folder.path("in/deep/ShaderOpMult.comp.spv")));

    const std::string header = readFile(folder.path("out/ShaderOpMult.hpp"));
    EXPECT_TRUE(test::contains(header, "#pragma once"));
    EXPECT_TRUE(test::contains(header, "namespace kp {"));
    std::ostringstream start;
    start << "const std::array<uint32_t, " << SHADEROPMULT_COMP_SPV.size()
          << "> SHADEROPMULT_COMP_SPV = {{\n";
    ASSERT_TRUE(test::contains(header, start.str()));
    std::istringstream words(header.substr(header.find("{{\n") + 3));
    for (const uint32_t expected : SHADEROPMULT_COMP_SPV) {
        std::string word;
        std::getline(words, word, ',');
        ASSERT_EQ(std::stoul(word, nullptr, 16), expected);
    }
}

TEST_F(ConvertShaders, FailsIfAShaderFails) {
    folder.write("in/good.comp", "#version 450\nvoid main() {}\n");
    folder.write("in/bad.comp", "#version 450\nvoid main() { nothing(); }\n");
    const std::string arguments = "-v -p \"" + folder.path("in") + "\" -c \"" + folder.path("out");
    EXPECT_NE(run(arguments + "\"", log), 0);
    EXPECT_TRUE(test::contains(readFile(log), "bad.comp:2"));
    EXPECT_TRUE(test::contains(readFile(log), "1 of 2 shaders failed"));
    EXPECT_TRUE(test::contains(readFile(folder.path("out/good.hpp")), "GOOD_COMP_SPV"));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out/bad.hpp")));
}

TEST_F(ConvertShaders, ExplainsWrongArguments) {
    EXPECT_NE(run("-p \"" + folder.path("absent") + "\"", log), 0);
    EXPECT_TRUE(test::contains(readFile(log), "is not a folder"));
    folder.write("in/a.comp", "#version 450\nvoid main() {}\n");
    EXPECT_NE(run("-p \"" + folder.path("in") + "\" -s no-such-compiler", log), 0);
    EXPECT_TRUE(test::contains(readFile(log), "no-such-compiler was not found"));
    EXPECT_NE(run("-p \"" + folder.path("in") + "\" -n \"1x\"", log), 0);
    EXPECT_TRUE(test::contains(readFile(log), "is not a C++ namespace"));
}

} // namespace
} // namespace kp
