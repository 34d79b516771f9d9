// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <kompute/Export.hpp>

namespace kp {

/// A GLSL condition over an element `x`, which is true for the elements to choose.
///
///     kp::Predicate("x > 0 && x < 100")
///
/// `x` is a bool, int, uint, int64_t, uint64_t, float or double; smaller numbers are converted. The
/// condition may name its type T. It must be a bool, not a number: write `(x & 1) != 0`.
struct KOMPUTE_API Predicate {
    explicit Predicate(std::string glsl) : expression(std::move(glsl)) {}

    std::string expression;
};

} // namespace kp
