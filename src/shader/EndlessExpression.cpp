// SPDX-License-Identifier: Apache-2.0
#include "shader/EndlessExpression.hpp"

#include <algorithm>

namespace kp::shader {
namespace {

constexpr size_t kMaxOperators = 8000;

/// Returns the end of the comment that starts at @p at; @p at if none does.
size_t skipComment(std::string_view source, size_t at) {
    const std::string_view start = source.substr(at, 2);
    const bool isLine = start == "//";
    if (!isLine && start != "/*")
        return at;
    const size_t end = source.find(isLine ? "\n" : "*/", at + 2);
    return end == std::string_view::npos ? source.size() : end + (isLine ? 0 : 2);
}

} // namespace

std::optional<uint32_t> findEndlessExpression(std::string_view source) {
    constexpr std::string_view kOperators = "+-*/%<>=&|^?.!~";
    constexpr std::string_view kEnds = ";{},";
    size_t operators = 0;
    for (size_t at = 0; at < source.size(); ++at) {
        if (const size_t end = skipComment(source, at); end != at) {
            at = end - 1;
            continue;
        }
        if (kEnds.find(source[at]) != std::string_view::npos) {
            operators = 0;
        } else if (kOperators.find(source[at]) != std::string_view::npos &&
                   ++operators > kMaxOperators) {
            const auto lines = std::ranges::count(source.substr(0, at), '\n');
            return static_cast<uint32_t>(lines + 1);
        }
    }
    return std::nullopt;
}

} // namespace kp::shader
