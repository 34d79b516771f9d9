// SPDX-License-Identifier: Apache-2.0
#include "shader/limits/SourceTokens.hpp"

#include <algorithm>
#include <cctype>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

bool isLetter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

std::vector<SourceToken> tokensOf(std::string_view text, size_t most) {
    std::vector<SourceToken> tokens;
    uint32_t line = 1;
    const auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
    const auto joins = [&](size_t i) { // a backslash before the end of a line
        return at(i) == '\\' && (at(i + 1) == '\n' || (at(i + 1) == '\r' && at(i + 2) == '\n'));
    };
    for (size_t i = 0; i < text.size() && tokens.size() < most;) {
        const char c = text[i];
        const size_t first = i;
        if (joins(i)) {
            i = text.find('\n', i) + 1;
            ++line;
            continue;
        }
        if (c == '/' && at(i + 1) == '/') {
            while (i < text.size() && (text[i] != '\n' || joins(i - 1)))
                line += text[i++] == '\n' ? 1 : 0;
            continue;
        }
        if (c == '/' && at(i + 1) == '*') {
            const size_t end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
            line += static_cast<uint32_t>(std::ranges::count(text.substr(i, end - i), '\n'));
            i = end;
            continue;
        }
        if (c == '\n') {
            if (!tokens.empty() && !tokens.back().text.empty())
                tokens.push_back({{}, line});
            ++line;
            ++i;
            continue;
        }
        ++i;
        if (std::isspace(static_cast<unsigned char>(c)) != 0)
            continue;
        if (isLetter(c)) {
            const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
            while (isLetter(at(i)) || (number && at(i) == '.'))
                ++i;
        } else if (c == '"') {
            while (i < text.size() && text[i] != '"' && text[i] != '\n')
                ++i;
            i += at(i) == '"' ? 1 : 0;
        }
        tokens.push_back({text.substr(first, i - first), line});
    }
    tokens.push_back({{}, line});
    return tokens;
}

bool isName(const SourceToken& token) {
    return !token.text.empty() && isLetter(token.text[0]) &&
           std::isdigit(static_cast<unsigned char>(token.text[0])) == 0;
}

void refuseSource(const std::string& file, uint32_t line, const std::string& message) {
    throw ShaderError(formatted("{}:{}: error: {}", file, line, message), file, line);
}

size_t afterBracket(SourceTokens tokens, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].text == "(" || tokens[i].text == "[" || tokens[i].text == "{")
            ++depth;
        else if ((tokens[i].text == ")" || tokens[i].text == "]" || tokens[i].text == "}") &&
                 --depth == 0)
            return i + 1;
    }
    return tokens.size();
}

std::vector<SourceTokens> splitArguments(SourceTokens inside) {
    std::vector<SourceTokens> parts;
    size_t first = 0;
    size_t depth = 0;
    for (size_t i = 0; i < inside.size(); ++i) {
        const std::string_view text = inside[i].text;
        if (text == "(" || text == "[" || text == "{") {
            ++depth;
        } else if (text == ")" || text == "]" || text == "}") {
            depth -= depth > 0 ? 1 : 0;
        } else if (text == "," && depth == 0) {
            parts.push_back(inside.subspan(first, i - first));
            first = i + 1;
        }
    }
    parts.push_back(inside.subspan(first));
    return parts;
}

} // namespace kp::shader
