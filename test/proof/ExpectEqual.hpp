// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace kp::proof {

/// @throws std::runtime_error naming the first element of @p what that differs
inline void expectEqual(const std::vector<uint32_t>& found, const std::vector<uint32_t>& expected,
                        const std::string& what) {
    if (found == expected)
        return;
    const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    throw std::runtime_error(
        what + " differs from the model: element " + std::to_string(at.first - found.begin()) +
        " is " + std::to_string(*at.first) + ", but should be " + std::to_string(*at.second));
}

} // namespace kp::proof
