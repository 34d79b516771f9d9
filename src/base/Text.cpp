// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/Text.hpp"

namespace kp {

std::string formatArguments(fmt::string_view format, fmt::format_args arguments) {
    return fmt::vformat(format, arguments);
}

std::string counted(uint64_t count, std::string_view noun) {
    if (count != 1 && noun == "index")
        return formatted("{} indices", count);
    if (count != 1 && noun == "matrix")
        return formatted("{} matrices", count);
    return formatted("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
    std::string found;
    size_t fewest = SIZE_MAX;
    for (const std::string& candidate : candidates) {
        // Row i: the changes from the first i letters of the name to each beginning of the
        // candidate.
        std::vector<size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), size_t{0});
        for (size_t i = 0; i < name.size(); ++i) {
            size_t diagonal = row[0]++;
            for (size_t k = 0; k < candidate.size(); ++k) {
                const size_t replaced = diagonal + (name[i] == candidate[k] ? 0 : 1);
                diagonal = row[k + 1];
                row[k + 1] = std::min({replaced, diagonal + 1, row[k] + 1});
            }
        }
        if (row.back() < fewest) {
            fewest = row.back();
            found = candidate;
        }
    }
    return found;
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
