// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <kompute/Export.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// The bins of OpHistogram, one for each element of its output.
///
///     kp::Bins::even(0, 1)
struct KOMPUTE_API Bins {
    enum class Kind { eEven, eEdges, eIntegers };

    /// Bins of equal width from @p low to @p high. The edges match NumPy's linspace: for n bins,
    /// low + i * ((high - low) / n) as double, rounded to the input's type. Integers are compared
    /// with the unrounded edges.
    static Bins even(double low, double high) { return {Kind::eEven, low, high, {}}; }
    /// Bins between neighbouring edges. Each includes its lower edge, but not its upper one; the
    /// last includes both.
    /// @param edges  one more than bins, of the input's type, in ascending order. Edges may repeat.
    ///               For other orders and for NaNs, the counts are unspecified.
    static Bins between(TensorRange edges) { return {Kind::eEdges, 0, 0, std::move(edges)}; }
    /// Bin i counts the integers i.
    static Bins integers() { return {Kind::eIntegers, 0, 0, {}}; }

    Kind kind = Kind::eIntegers;
    double low = 0;
    double high = 0;
    TensorRange edges;
};

} // namespace kp
