// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <kompute/Export.hpp>

namespace kp {

/// A GLSL expression over an element `x` that is true (or not 0) for the elements to choose.
///
///     kp::Predicate("x > 0 && x < 100")
///
/// `x` is an int, uint, int64_t, uint64_t, float or double; smaller types are converted. The
/// expression may name its type T.
struct KOMPUTE_API Predicate {
    explicit Predicate(std::string glsl) : expression(std::move(glsl)) {}

    std::string expression;
};

} // namespace kp
