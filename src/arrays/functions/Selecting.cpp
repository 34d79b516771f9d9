// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Selecting.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/primitives/select/OpSelect.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Bounds.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/memory/HostWord.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::rangeOf;
using arrays::stateOf;
using arrays::View;

/// Returns the elements of a row where flags of its size are not 0.
Array selected(const Array& row, const Array& flags) {
    const auto home = stateOf(row).home;
    if (row.size() == 0)
        return row.copy();
    const View from = arrays::contiguous(stateOf(row).evaluated());
    const View by = arrays::contiguous(stateOf(flags).evaluated());
    const View out = View::blank(home, row.shape(), row.dtype());
    const arrays::HostWord count(home);
    home->launch(std::make_shared<OpSelect>(rangeOf(from), rangeOf(by), rangeOf(out),
                                            rangeOf(count.view())));
    return arrays::firstOf(out, count.read());
}

/// @throws InvalidArgument unless an array may have indices
void requireIntegers(const Array& indices) {
    if (indices.dtype() >= DType::eFloat16 || indices.dtype() == DType::eBool)
        fail<InvalidArgument>("indices are integers, not {}{}", toString(indices.dtype()),
                              indices.dtype() == DType::eBool ? "; take kp::compress() for masks"
                                                              : "");
}

} // namespace

Array compress(const Array& mask, const Array& x) {
    if (mask.dtype() != DType::eBool)
        fail<InvalidArgument>(
            "a mask is bool, not {}; compare, as in x > 0, or take kp::take() for "
            "indices",
            toString(mask.dtype()));
    const Shape& own = mask.shape();
    if (own.empty() || own.size() > x.ndim() ||
        !std::equal(own.begin(), own.end(), x.shape().begin()))
        fail<InvalidArgument>("a mask of shape {} does not fit an array of shape {}: it has the "
                              "extents of all axes, or of the first ones",
                              toString(own), toString(x.shape()));
    if (own.size() == x.ndim())
        return selected(arrays::flat(x), arrays::flat(mask));
    Shape rows{mask.size()};
    for (size_t axis = own.size(); axis < x.ndim(); ++axis)
        rows.push_back(x.shape()[axis]);
    return arrays::picked(x.reshape(rows), {{0, flatnonzero(mask)}});
}

Array flatnonzero(const Array& x) {
    const Array numbers = arange(0, x.size(), 1, DType::eInt64, &x.manager());
    return selected(numbers, arrays::flat(x.astype(DType::eBool)));
}

std::vector<Array> nonzero(const Array& x) {
    if (x.ndim() == 0)
        throw InvalidArgument("nonzero() of an array without axes; make it one of one element with "
                              "kp::expandDims()");
    const Array places = flatnonzero(x);
    std::vector<Array> found;
    int64_t step = x.size();
    for (size_t axis = 0; axis < x.ndim(); ++axis) {
        const int64_t extent = x.shape()[axis];
        step = extent ? step / extent : 1;
        Array index = step == 1 ? places : floorDivide(places, step);
        if (axis != 0)
            index = remainder(index, extent);
        found.push_back(std::move(index));
    }
    arrays::together(found);
    return found;
}

Array take(const Array& x, const Array& indices) {
    return take(arrays::flat(x), indices, 0);
}

Array take(const Array& x, const Array& indices, int64_t axis) {
    const size_t place = arrays::axisOf(axis, x.ndim());
    requireIntegers(indices);
    const Array found = arrays::picked(x, {{place, arrays::flat(indices), false}});
    if (indices.ndim() == 1)
        return found;
    Shape shape = x.shape();
    shape.erase(place);
    for (size_t i = 0; i < indices.ndim(); ++i)
        shape.insert(place + i, indices.shape()[i]);
    return found.reshape(shape);
}

Array takeAlongAxis(const Array& x, const Array& indices, int64_t axis) {
    const size_t place = arrays::axisOf(axis, x.ndim());
    if (indices.ndim() != x.ndim())
        fail<InvalidArgument>(
            "takeAlongAxis() takes indices with as many axes as the array, {}, not {}", x.ndim(),
            indices.ndim());
    const View view = stateOf(x).evaluated();
    requireIntegers(indices);
    const arrays::Step step{view.shape[place], view.strides[place], static_cast<int64_t>(place)};
    arrays::requireElements(indices, step);
    Shape one = view.shape;
    one[place] = 1;
    const Shape shape = broadcast(indices.shape(), one);
    Shape strides = view.strides;
    for (size_t i = 0; i < strides.size(); ++i)
        if (i == place || (view.shape[i] == 1 && shape[i] != 1))
            strides[i] = 0;
    return arrays::take(x.strided(view.offset, shape, strides), {indices}, {step});
}

void put(const Array& x, const Array& indices, const Operand& values) {
    if (x.ndim() != 1)
        fail<InvalidArgument>("put() sets elements of one axis, not of shape {}; take a view or "
                              "ravel()",
                              toString(x.shape()));
    if (!x.isWritable())
        throw InvalidArgument("the array is read-only, because it repeats elements; put() into a "
                              "copy()");
    requireIntegers(indices);
    const Array value = values.isArray() ? values.array().astype(x.dtype())
                                         : full({}, values, x.dtype(), &x.manager());
    arrays::requireBroadcast("a value", value.shape(), indices.shape());
    const Shape still = Shape::filled(indices.ndim(), 0);
    arrays::put(x.strided(x.offset(), indices.shape(), still), value, {indices},
                {{x.size(), x.strides()[0], 0}});
}

} // namespace kp
