// SPDX-License-Identifier: Apache-2.0
#include "primitives/source/EmulatedSubgroups.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <EmulatedSubgroups.glsl.hpp>

#include "base/Text.hpp"

namespace kp::primitives {
namespace {

constexpr std::string_view kLocalSize = "layout(local_size_x_id = 0) in;\n";

bool isEmulated(std::string_view word) {
    static constexpr std::array<std::string_view, 3> kOthers = {"barrier", "main",
                                                                "gl_NumSubgroups"};
    return word.starts_with("subgroup") || word.starts_with("gl_Subgroup") ||
           std::ranges::find(kOthers, word) != kOthers.end();
}

} // namespace

std::string withEmulatedSubgroups(std::string_view source, uint32_t lanes) {
    const size_t declarations = source.find(kLocalSize) + kLocalSize.size();
    std::string made(source.substr(0, declarations));
    made += formatted("#define LANES_EMULATED {}u\n", lanes);
    made += EMULATEDSUBGROUPS_GLSL;
    const auto isOfWord = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    for (std::string_view rest = source.substr(declarations); !rest.empty();) {
        const auto end = std::ranges::find_if_not(rest, isOfWord);
        const std::string_view word = rest.substr(0, static_cast<size_t>(end - rest.begin()));
        if (isEmulated(word))
            made += "emulated_";
        made += word;
        rest.remove_prefix(word.size());
        if (word.empty()) {
            made += rest.front();
            rest.remove_prefix(1);
        }
    }
    return made;
}

uint32_t emulationBytes(uint32_t groupSize) {
    return 8 * groupSize + 4 * (groupSize / 4 + 1);
}

} // namespace kp::primitives
