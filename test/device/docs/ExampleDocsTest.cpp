// SPDX-License-Identifier: Apache-2.0
//
// Pages whose code comes from an example, and the pages without a test. test/package/run.sh
// compiles and runs the program of README.md.
#include "../DocsSupport.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

TEST(ExampleDocsTest, ThePageOnMpiHasTheCodeOfItsExample) {
    expectCodeOfPage("docs/guides/mpi.md", "examples/mpi_heat/Device.cpp", 1);
}

TEST(ExampleDocsTest, EveryPageWithCodeHasATest) {
    const std::filesystem::path root = KOMPUTE_SOURCE_FOLDER;
    std::string tests;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / "test/device"))
        if (file.path().extension() == ".cpp")
            tests += readFile(file.path());
    for (const auto& file : std::filesystem::directory_iterator(root / "docs")) {
        const std::string page = "docs/" + file.path().filename().string();
        if (file.path().extension() == ".md" &&
            readFile(file.path()).find("```cpp") != std::string::npos) {
            EXPECT_NE(tests.find("expectCodeOfPage(\"" + page + "\""), std::string::npos) << page;
        }
    }
}

} // namespace
} // namespace kp::test
