// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <kompute/Array.hpp>
#include <kompute/primitives/Operator.hpp>

namespace kp {

// Reductions along axes, which the result omits, or keeps with one element each (keepAxes). An
// expression that is reduced is computed in the same kernel. Types are NumPy's: sums and products
// of integers and bool are 64-bit integers, means of integers are defaultFloat().

KOMPUTE_API Array sum(const Array& x, const Axes& axes = {}, bool keepAxes = false);
KOMPUTE_API Array prod(const Array& x, const Axes& axes = {}, bool keepAxes = false);
// In brackets, since <windows.h> has macros of these names.
/// NaN if an element is.
/// @throws InvalidArgument for no elements
KOMPUTE_API Array(min)(const Array& x, const Axes& axes = {}, bool keepAxes = false);
KOMPUTE_API Array(max)(const Array& x, const Axes& axes = {}, bool keepAxes = false);
KOMPUTE_API Array mean(const Array& x, const Axes& axes = {}, bool keepAxes = false);
/// The mean of the squared distances to the mean.
/// @param correction is subtracted from the number of elements, by which the sum is divided
KOMPUTE_API Array var(const Array& x, const Axes& axes = {}, double correction = 0,
                      bool keepAxes = false);
/// The square root of var().
KOMPUTE_API Array stddev(const Array& x, const Axes& axes = {}, double correction = 0,
                         bool keepAxes = false);
/// Whether any element is not 0.
KOMPUTE_API Array any(const Array& x, const Axes& axes = {}, bool keepAxes = false);
/// Whether all elements are not 0.
KOMPUTE_API Array all(const Array& x, const Axes& axes = {}, bool keepAxes = false);
/// The number of elements that are not 0, as eInt64.
KOMPUTE_API Array countNonzero(const Array& x, const Axes& axes = {}, bool keepAxes = false);

/// Reduces by one of eSum, eProduct, eMinimum, eMaximum, eAny and eAll.
/// @param accumulated  type in which elements are combined
/// @param result       type of the result
KOMPUTE_API Array reduce(const Array& x, ReduceOperation operation, const Axes& axes,
                         DType accumulated, DType result, bool keepAxes = false);
/// Reduces by GLSL.
/// @param dtype     of the result; elements are combined in their own type
/// @param combine   over {0} and {1}; associative and commutative
/// @param identity  the total of no elements
/// @param finish    over the total {0} and the number of elements n_
/// @param name      in messages and profiles
KOMPUTE_API Array reduce(const Array& x, const Axes& axes, DType dtype, std::string_view combine,
                         std::string_view identity, std::string_view finish = "{0}",
                         bool keepAxes = false, std::string_view name = "reduce");

} // namespace kp
