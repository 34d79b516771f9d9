// SPDX-License-Identifier: Apache-2.0
#include "base/Environment.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace kp {

std::string environment(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

bool environmentFlag(const char* name) {
    std::string text = environment(name);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text == "1" || text == "true" || text == "on" || text == "yes";
}

} // namespace kp
