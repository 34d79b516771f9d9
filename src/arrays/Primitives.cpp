// SPDX-License-Identifier: Apache-2.0
#include "arrays/Primitives.hpp"

#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Manipulation.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Bounds.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"

namespace kp::arrays {

TensorRange rangeOf(const View& view) {
    return {view.storage->tensor(), static_cast<uint64_t>(view.offset),
            static_cast<uint64_t>(view.shape.product())};
}

Rows::Rows(const Array& x, size_t along) : home(stateOf(x).home), axis(along) {
    const auto last = static_cast<int64_t>(x.ndim()) - 1;
    const auto place = static_cast<int64_t>(along);
    view = contiguous(stateOf(place == last ? x : moveaxis(x, place, last)).evaluated());
}

uint64_t Rows::count() const {
    uint64_t count = 1;
    for (size_t i = 0; i + 1 < view.shape.size(); ++i)
        count *= static_cast<uint64_t>(view.shape[i]);
    return count;
}

View Rows::blank(DType dtype) const {
    return View::blank(home, view.shape, dtype);
}

Array Rows::restored(View results) const {
    const Array rows = arrayOf(std::move(results));
    if (axis + 1 == view.shape.size())
        return rows;
    return contiguous(moveaxis(rows, -1, static_cast<int64_t>(axis)));
}

Array Rows::reduced(View results, bool keepAxis) const {
    const Array made = arrayOf(std::move(results));
    return keepAxis ? expandDims(made, static_cast<int64_t>(axis)) : made;
}

Array flat(const Array& x) {
    return x.ndim() == 1 ? x : x.reshape({x.size()});
}

Array firstOf(const View& row, int64_t count) {
    View first = row;
    first.shape[0] = count;
    return 2 * count >= row.shape[0] ? arrayOf(first) : arrayOf(first).copy();
}

Array picked(const Array& x, const std::vector<Picked>& axes) {
    const View view = stateOf(x).evaluated();
    Shape shape = view.shape;
    Shape strides = view.strides;
    std::vector<Array> indices;
    std::vector<Step> steps;
    for (const auto& [axis, index, known] : axes) {
        shape[axis] = index.size();
        strides[axis] = 0;
        // Broadcasting needs an axis for each that follows.
        Shape along = Shape::filled(shape.size() - axis, 1);
        along[0] = index.size();
        indices.push_back(index.ndim() == along.size() ? index : index.reshape(along));
        steps.push_back(
            {view.shape[axis], view.strides[axis], known ? -1 : static_cast<int64_t>(axis)});
        requireElements(index, steps.back());
    }
    return take(x.strided(view.offset, shape, strides), indices, steps);
}

void requireOrder(const Array& x, std::string_view function) {
    if (x.dtype() >= DType::eComplex64)
        fail<InvalidArgument>(
            "{}() takes real numbers: complex ones, such as {}, have no order; take "
            "kp::abs() or kp::real() first",
            function, toString(x.dtype()));
}

} // namespace kp::arrays
