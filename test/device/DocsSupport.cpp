// SPDX-License-Identifier: Apache-2.0
#include "device/DocsSupport.hpp"

#include <cctype>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace kp::test {
namespace {

std::string contentOf(const std::string& file) {
    std::ifstream stream(std::string(KOMPUTE_SOURCE_FOLDER) + "/" + file);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
}

std::string withoutSpace(const std::string& text) {
    std::string result;
    for (const char c : text)
        if (!std::isspace(static_cast<unsigned char>(c)))
            result += c;
    return result;
}

/// The included headers of a block, each with its #include, and the rest of the block. A test
/// includes headers at its top, but has the rest in a function.
std::vector<std::string> partsOf(const std::string& block) {
    std::vector<std::string> parts(1);
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("#include", 0) == 0)
            parts.push_back(
                line.substr(0, line.find_first_of(">\"", line.find_first_of("<\"") + 1)));
        else
            parts[0] += line + '\n';
    }
    return parts;
}

} // namespace

void expectCodeOfPage(const std::string& page, const std::string& source, int blocks,
                      const std::string& other) {
    const std::string text = contentOf(page);
    const std::string code = withoutSpace(contentOf(source) + contentOf(other));
    ASSERT_FALSE(text.empty());
    const std::string fence = "```";
    int found = 0;
    for (size_t at = text.find(fence + "cpp"); at != std::string::npos;
         at = text.find(fence + "cpp", at)) {
        at += fence.size() + 3;
        const size_t end = text.find(fence, at);
        for (const std::string& part : partsOf(text.substr(at, end - at)))
            EXPECT_NE(code.find(withoutSpace(part)), std::string::npos) << part;
        at = end + fence.size();
        ++found;
    }
    EXPECT_EQ(found, blocks);
}

} // namespace kp::test
