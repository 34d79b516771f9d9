// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kp {

/// Makes a path of text. The library's text is UTF-8 on every system; Windows would take it for
/// text in the code page of the user's region.
inline std::filesystem::path toPath(std::string_view text) {
    const auto* const begin = reinterpret_cast<const char8_t*>(text.data());
    return {begin, begin + text.size()};
}

/// Returns the text of a path, as UTF-8.
inline std::string toText(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

/// As toText(), with `/` between folders on every system.
inline std::string genericText(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

} // namespace kp
