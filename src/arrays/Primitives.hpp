// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/queue/Queue.hpp>

#include "arrays/memory/Home.hpp"
#include "arrays/memory/Storage.hpp"

namespace kp::arrays {

/// Returns the elements of a view in C order without gaps, for a primitive.
TensorRange rangeOf(const View& view);

/// An array whose last axis primitives work along. The others are rows, one after the other.
struct Rows {
    /// Moves an axis to the end. Elements that do not lie so are copied.
    Rows(const Array& x, size_t axis);

    uint64_t length() const { return static_cast<uint64_t>(view.shape.back()); }
    uint64_t count() const;
    /// Returns new memory of the same shape.
    View blank(DType dtype) const;
    /// Returns results of blank() as an array of the shape of x, in C order.
    Array restored(View results) const;
    /// Returns results, one for each row, as an array; with an axis of one element in place of the
    /// rows' one if it is kept.
    Array reduced(View results, bool keepAxis) const;

    std::shared_ptr<Home> home;
    View view;
    size_t axis; ///< of x
};

/// Returns the elements in C order along one axis: a view if possible.
Array flat(const Array& x);

/// Returns the first elements of a row: a view if they are most of them, so that the memory of the
/// others is not kept.
Array firstOf(const View& row, int64_t count);

/// Elements of one axis, by their numbers.
struct Picked {
    size_t axis;
    Array indices;     ///< of one axis, or with an axis of one element for each later axis
    bool known = true; ///< to be within the axis
};
/// Returns the elements that indices of one axis each pick: as an expression if all are known to be
/// within. @throws OutOfBounds
Array picked(const Array& x, const std::vector<Picked>& axes);

/// @throws InvalidArgument that says that complex numbers have no order
void requireOrder(const Array& x, std::string_view function);

} // namespace kp::arrays
