// SPDX-License-Identifier: Apache-2.0
#include "device/DocsSupport.hpp"

#include <cctype>
#include <fstream>
#include <sstream>

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

} // namespace

void expectCodeOfPage(const std::string& page, const std::string& source, int blocks) {
    const std::string text = contentOf(page);
    const std::string code = withoutSpace(contentOf(source));
    ASSERT_FALSE(text.empty());
    const std::string fence = "```";
    int found = 0;
    for (size_t at = text.find(fence + "cpp"); at != std::string::npos;
         at = text.find(fence + "cpp", at)) {
        at += fence.size() + 3;
        const size_t end = text.find(fence, at);
        const std::string block = text.substr(at, end - at);
        EXPECT_NE(code.find(withoutSpace(block)), std::string::npos) << block;
        at = end + fence.size();
        ++found;
    }
    EXPECT_EQ(found, blocks);
}

} // namespace kp::test
