// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace kp {

/// The axes of a function; all by default.
struct Axes {
    Axes() = default;
    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value &&
                                                      !std::is_same<T, bool>::value>>
    Axes(T axis) : axes{static_cast<int64_t>(axis)}, all(false) {}
    Axes(std::initializer_list<int64_t> given) : axes(given), all(false) {}

    std::vector<int64_t> axes; ///< negative ones count from the last
    bool all = true;
};

} // namespace kp
