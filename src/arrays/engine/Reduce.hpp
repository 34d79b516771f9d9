// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arrays/engine/Node.hpp"

namespace kp::arrays {

/// How elements are combined, as GLSL. Texts are interned().
struct Reduction {
    /// @param combine   over {0} and {1}, of the type of the reduced elements
    /// @param identity  the total of no elements, of the same type
    /// @param finish    over the total {0} and the number n_ of elements
    /// @param name      in messages and profiles: a literal, or interned()
    Reduction(std::string_view combine, std::string_view identity, std::string_view finish = "{0}",
              std::string_view name = "reduce")
        : combine(interned(combine)), identity(interned(identity)), finish(interned(finish)),
          name(name) {}

    const std::string* combine;
    const std::string* identity;
    const std::string* finish;
    std::string_view name;
};

/// Computes an expression and reduces it along axes, in its own type; returns results of another
/// type, in C order. One dispatch, or two if there are fewer results than the device computes at
/// once. Returns at once.
/// @throws as run()
View reduce(const NodePtr& node, const std::vector<size_t>& axes, DType dtype,
            const Reduction& reduction);

} // namespace kp::arrays
