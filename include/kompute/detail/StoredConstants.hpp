// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace kp {
namespace detail {

/// The type of constants in shaders: a bool is a word.
template <typename T>
using StoredConstant = std::conditional_t<std::is_same<T, bool>::value, uint32_t, T>;

template <typename T>
const std::vector<T>& storedConstants(const std::vector<T>& values) {
    return values;
}
inline std::vector<uint32_t> storedConstants(const std::vector<bool>& values) {
    return std::vector<uint32_t>(values.begin(), values.end());
}

} // namespace detail

} // namespace kp
