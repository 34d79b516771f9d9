// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Manipulation.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Elementwise.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::axisOf;
using arrays::stateOf;
using arrays::View;

/// Returns an index that is a slice along one axis, and all of the others.
std::vector<Index> along(size_t axis, const Slice& slice) {
    std::vector<Index> indices(axis, Slice());
    indices.emplace_back(slice);
    return indices;
}

void requireCount(const char* function, int64_t count) {
    if (count < 0)
        fail<InvalidArgument>("{}() makes a number of copies that is not negative, not {}",
                              function, count);
}

} // namespace

Array ravel(const Array& x) {
    return arrays::flat(x);
}

Array expandDims(const Array& x, const Axes& axes) {
    if (axes.all)
        throw InvalidArgument("expandDims() takes the places of the new axes, such as 0 or -1");
    View view = stateOf(x).evaluated();
    for (const size_t axis : arrays::axesOf(axes, view.shape.size() + axes.axes.size())) {
        view.shape.insert(axis, 1);
        view.strides.insert(axis, 0);
    }
    return arrayOf(std::move(view));
}

Array squeeze(const Array& x, const Axes& axes) {
    View view = stateOf(x).evaluated();
    const std::vector<size_t> chosen = arrays::axesOf(axes, view.shape.size());
    for (size_t i = chosen.size(); i-- > 0;) {
        const size_t axis = chosen[i];
        if (view.shape[axis] == 1) {
            view.shape.erase(axis);
            view.strides.erase(axis);
        } else if (!axes.all) {
            fail<InvalidArgument>(
                "axis {} has {}, so squeeze() cannot remove it; it removes axes of "
                "one",
                axis, counted(static_cast<uint64_t>(view.shape[axis]), "element"));
        }
    }
    return arrayOf(std::move(view));
}

Array moveaxis(const Array& x, int64_t source, int64_t destination) {
    const size_t from = axisOf(source, x.ndim());
    const size_t to = axisOf(destination, x.ndim());
    View view = stateOf(x).evaluated();
    const int64_t extent = view.shape[from];
    const int64_t stride = view.strides[from];
    view.shape.erase(from);
    view.strides.erase(from);
    view.shape.insert(to, extent);
    view.strides.insert(to, stride);
    return arrayOf(std::move(view));
}

Array swapaxes(const Array& x, int64_t first, int64_t second) {
    const size_t one = axisOf(first, x.ndim());
    const size_t other = axisOf(second, x.ndim());
    View view = stateOf(x).evaluated();
    std::swap(view.shape[one], view.shape[other]);
    std::swap(view.strides[one], view.strides[other]);
    return arrayOf(std::move(view));
}

Array flip(const Array& x, const Axes& axes) {
    std::vector<Index> indices(x.ndim(), Slice());
    for (const size_t axis : arrays::axesOf(axes, x.ndim()))
        indices[axis] = Slice(begin, end, -1);
    return x.select(indices);
}

std::vector<Array> split(const Array& x, int64_t parts, int64_t axis) {
    const size_t place = axisOf(axis, x.ndim());
    const int64_t extent = x.shape()[place];
    if (parts < 1 || extent % parts != 0)
        fail<InvalidArgument>(
            "{} along axis {} cannot be split into {} equal parts; take slices for "
            "others",
            counted(static_cast<uint64_t>(extent), "element"), place, parts);
    const int64_t size = extent / parts;
    std::vector<Array> made;
    for (int64_t i = 0; i < parts; ++i)
        made.push_back(x.select(along(place, Slice(i * size, (i + 1) * size))));
    return made;
}

Array concat(const std::vector<Array>& given, int64_t axis) {
    if (given.empty())
        throw InvalidArgument("concat() joins at least one array, and none was given");
    const Array& first = given.front();
    if (first.ndim() == 0)
        throw InvalidArgument("arrays without axes cannot be joined along one; take kp::stack()");
    const size_t place = axisOf(axis, first.ndim());
    const std::vector<Operand> operands(given.begin(), given.end());
    const DType dtype = commonType(operands.data(), operands.size());
    Shape shape = first.shape();
    shape[place] = 0;
    for (const Array& each : given) {
        Shape fitting = first.shape();
        if (each.ndim() == first.ndim())
            fitting[place] = each.shape()[place];
        if (each.shape() != fitting)
            fail<InvalidArgument>(
                "arrays of shapes {} and {} cannot be joined along axis {}: their "
                "other extents differ",
                toString(first.shape()), toString(each.shape()), place);
        shape[place] += each.shape()[place];
    }
    const View whole = View::blank(stateOf(first).home, shape, dtype);
    View part = whole;
    std::vector<std::pair<View, arrays::NodePtr>> stores;
    for (const Array& each : given) {
        part.shape[place] = each.shape()[place];
        stores.emplace_back(part, arrays::nodeOf(each, dtype));
        part.offset += part.shape[place] * part.strides[place];
    }
    arrays::storeAll(stores);
    return arrayOf(whole);
}

Array stack(const std::vector<Array>& given, int64_t axis) {
    if (given.empty())
        throw InvalidArgument("stack() joins at least one array, and none was given");
    std::vector<Array> parts;
    for (const Array& each : given) {
        if (each.shape() != given.front().shape())
            fail<InvalidArgument>("stack() joins arrays of one shape, not of {} and {}",
                                  toString(given.front().shape()), toString(each.shape()));
        parts.push_back(expandDims(each, axis));
    }
    return concat(parts, axis);
}

Array roll(const Array& x, int64_t shift) {
    return x.ndim() == 1 ? roll(x, shift, 0) : roll(arrays::flat(x), shift, 0).reshape(x.shape());
}

Array roll(const Array& x, int64_t shift, int64_t axis) {
    const size_t place = axisOf(axis, x.ndim());
    const int64_t extent = x.shape()[place];
    const int64_t by = extent == 0 ? 0 : (shift % extent + extent) % extent;
    if (by == 0)
        return x.copy();
    if (stateOf(x).home->rules().copies)
        return concat({x.select(along(place, Slice(extent - by, end))),
                       x.select(along(place, Slice(0, extent - by)))},
                      axis);
    // Elements by index, in one kernel, and fused with what reads them.
    Shape shape = Shape::filled(x.ndim() - place, 1);
    Shape strides = Shape::filled(x.ndim() - place, 0);
    shape[0] = extent;
    strides[0] = 1;
    const Array at = arrays::addresses(x.manager(), shape, extent - by, strides, DType::eUint32);
    const Array around = where(greaterEqual(at, extent), at - extent, at);
    return arrays::picked(x, {{place, around}});
}

Array repeat(const Array& x, int64_t count) {
    return repeat(arrays::flat(x), count, 0);
}

Array repeat(const Array& x, int64_t count, int64_t axis) {
    requireCount("repeat", count);
    const size_t place = axisOf(axis, x.ndim());
    View view = stateOf(x).evaluated();
    view.shape.insert(place + 1, count);
    view.strides.insert(place + 1, 0);
    view.writable = false;
    Shape shape = x.shape();
    shape[place] *= count;
    arrays::requireExtents(shape);
    return arrayOf(std::move(view)).copy().reshape(shape);
}

Array repeat(const Array& x, const Array& counts, int64_t axis) {
    const size_t place = axisOf(axis, x.ndim());
    const int64_t extent = x.shape()[place];
    if (counts.dtype() >= DType::eFloat16 || counts.dtype() == DType::eBool)
        fail<InvalidArgument>("the counts of repeat() are integers, not {}",
                              toString(counts.dtype()));
    if (counts.shape() != Shape{extent})
        fail<InvalidArgument>("repeat() takes a count for each of {}, not of shape {}",
                              counted(static_cast<uint64_t>(extent), "element"),
                              toString(counts.shape()));
    if (extent == 0)
        return x.copy();
    if (any(less(counts, 0)).item<bool>())
        throw InvalidArgument("the counts of repeat() are not negative, but one is");
    const Array ends = cumsum(counts.astype(DType::eInt64));
    const Array numbers = arange(0, ends(-1).item<int64_t>(), 1, DType::eInt64, &x.manager());
    return arrays::picked(x, {{place, searchsorted(ends, numbers, SearchSide::eRight)}}).copy();
}

Array tile(const Array& x, const Shape& given) {
    for (const int64_t count : given)
        requireCount("tile", count);
    const size_t ndim = std::max(given.size(), x.ndim());
    View view = stateOf(x).evaluated();
    View wide{view.storage, view.offset, {}, {}, false};
    Shape shape;
    for (size_t axis = 0; axis < ndim; ++axis) {
        const bool has = axis + x.ndim() >= ndim;
        const size_t own = axis + x.ndim() - ndim;
        const int64_t extent = has ? view.shape[own] : 1;
        const int64_t count = axis + given.size() >= ndim ? given[axis + given.size() - ndim] : 1;
        wide.shape.append({count, extent});
        wide.strides.append({0, has ? view.strides[own] : 0});
        shape.push_back(count * extent);
    }
    arrays::requireExtents(shape);
    return arrayOf(std::move(wide)).copy().reshape(shape);
}

} // namespace kp
