// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cctype>

#include "base/Text.hpp"

namespace kp {

std::string formatArguments(fmt::string_view format, fmt::format_args arguments) {
    return fmt::vformat(format, arguments);
}

std::string counted(uint64_t count, std::string_view noun) {
    if (count != 1 && noun == "index")
        return formatted("{} indices", count);
    return formatted("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string lowerCase(std::string text) {
    for (char& letter : text)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char letter : text) {
        if (letter == ',')
            words.emplace_back();
        else if (!std::isspace(static_cast<unsigned char>(letter)))
            words.back() += letter;
    }
    std::erase(words, std::string());
    return words;
}

} // namespace kp
