// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/sparse/Preconditioners.hpp>

namespace kp::sparse {

/// A map of the library: it launches the same each time, unlike functions of the program.
struct LibraryMap {
    LinearMap apply;
    int64_t dispatches = 1; ///< about

    Array operator()(const Array& x) const { return apply(x); }
};

} // namespace kp::sparse
