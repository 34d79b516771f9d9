// SPDX-License-Identifier: Apache-2.0
#include "arrays/Views.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/Elementwise.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"

namespace kp {

using arrays::stateOf;
using arrays::View;

namespace arrays {

size_t axisOf(int64_t axis, size_t ndim) {
    const auto count = static_cast<int64_t>(ndim);
    if (axis < -count || axis >= count)
        fail<InvalidArgument>("axis {} is out of bounds for an array of {}", axis,
                              counted(ndim, "dimension"));
    return static_cast<size_t>(axis < 0 ? axis + count : axis);
}

std::vector<size_t> axesOf(const Axes& given, size_t ndim) {
    std::vector<size_t> axes;
    for (size_t axis = 0; given.all && axis < ndim; ++axis)
        axes.push_back(axis);
    for (const int64_t axis : given.axes)
        axes.push_back(axisOf(axis, ndim));
    std::ranges::sort(axes);
    if (const auto twice = std::ranges::adjacent_find(axes); twice != axes.end())
        fail<InvalidArgument>("axis {} is given twice", *twice);
    return axes;
}

void requireNotNegative(const Shape& shape) {
    for (const int64_t extent : shape)
        if (extent < 0)
            fail<InvalidArgument>("{} is not a shape: extents are not negative", toString(shape));
}

void requireExtents(const Shape& shape) {
    requireNotNegative(shape);
    requireCountable(shape);
}

void requireBroadcast(const char* what, const Shape& shape, const Shape& target) {
    const size_t ndim = shape.size();
    bool fits = ndim <= target.size();
    for (size_t back = 1; fits && back <= ndim; ++back)
        fits = shape[ndim - back] == 1 || shape[ndim - back] == target[target.size() - back];
    if (!fits)
        fail<InvalidArgument>("{} of shape {} does not broadcast to {}", what, toString(shape),
                              toString(target));
}

Shape completed(const Shape& shape, int64_t size) {
    Shape complete = shape;
    int64_t known = 1;
    int64_t* open = nullptr;
    for (int64_t& extent : complete) {
        if (extent == -1 && !open)
            open = &extent;
        else if (extent < 0)
            fail<InvalidArgument>("{} is not a shape: extents are not negative, and one may be -1",
                                  toString(shape));
        else
            known *= extent;
    }
    if (open && known != 0 && size % known == 0)
        *open = size / known;
    if (complete.product() != size || (open && *open < 0))
        fail<InvalidArgument>("an array of {} cannot have the shape {}",
                              counted(static_cast<uint64_t>(size), "element"), toString(shape));
    return complete;
}

} // namespace arrays

namespace {

/// Adds an axis of a slice to a view.
void addSlice(View& view, const Slice& slice, int64_t extent, int64_t stride) {
    if (slice.step == 0)
        throw InvalidArgument("the step of a slice is 0; take 1 for all elements, or -1 for all in "
                              "reverse order");
    const bool forward = slice.step > 0;
    const auto bounded = [&](int64_t index) {
        if (index < 0)
            index += extent;
        return std::clamp<int64_t>(index, forward ? 0 : -1, forward ? extent : extent - 1);
    };
    // Numbers beyond the axis are cut, so kp::begin and kp::end mean themselves going forward.
    const int64_t start = !forward && slice.start == begin ? extent - 1 : bounded(slice.start);
    const int64_t stop = !forward && slice.stop == end ? -1 : bounded(slice.stop);
    const int64_t length = forward ? stop - start : start - stop;
    // A step further than the axis takes one element, and its product with a stride may overflow.
    const int64_t step = std::clamp<int64_t>(slice.step, -extent - 1, extent + 1);
    const int64_t count = length <= 0 ? 0 : (length - 1) / std::abs(step) + 1;
    view.shape.push_back(count);
    view.strides.push_back(stride * step);
    view.offset += count ? start * stride : 0;
}

/// Returns the strides of a view with another shape of as many elements; empty if only a copy has
/// it. Groups of axes with equal products of extents match; the view's must lie as one axis.
std::optional<Shape> reshapedStrides(const View& view, const Shape& shape) {
    if (shape.product() == 0)
        return contiguousStrides(shape);
    Shape strides = Shape::filled(shape.size(), 0);
    std::vector<size_t> old; // axes of more than one element
    std::vector<size_t> made;
    for (size_t axis = 0; axis < view.shape.size(); ++axis)
        if (view.shape[axis] != 1)
            old.push_back(axis);
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1)
            made.push_back(axis);
    for (size_t i = 0, j = 0; i < old.size(); ++i, ++j) {
        const size_t first = j;
        int64_t before = view.shape[old[i]];
        int64_t after = shape[made[j]];
        while (before != after) {
            if (before > after) {
                after *= shape[made[++j]];
                continue;
            }
            if (view.strides[old[i]] != view.strides[old[i + 1]] * view.shape[old[i + 1]])
                return std::nullopt;
            before *= view.shape[old[++i]];
        }
        int64_t step = view.strides[old[i]];
        for (size_t k = j + 1; k-- > first; step *= shape[made[k]])
            strides[made[k]] = step;
    }
    return strides;
}

} // namespace

Array Array::select(const std::vector<Index>& indices) const {
    const View base = stateOf(*this).evaluated();
    size_t used = 0;
    size_t ellipses = 0;
    for (const Index& index : indices) {
        ellipses += index.kind == Index::Kind::eEllipsis;
        used += index.kind == Index::Kind::eInteger || index.kind == Index::Kind::eSlice;
    }
    if (ellipses > 1)
        throw InvalidArgument("an index has at most one kp::ellipsis");
    if (used > base.shape.size())
        fail<InvalidArgument>("too many indices: the array has {}, but {} were indexed",
                              counted(base.shape.size(), "axis"), used);
    View view{base.storage, base.offset, {}, {}, base.writable};
    size_t axis = 0;
    const auto addWhole = [&](size_t count) {
        for (; count > 0; --count, ++axis) {
            view.shape.push_back(base.shape[axis]);
            view.strides.push_back(base.strides[axis]);
        }
    };
    for (const Index& index : indices) {
        switch (index.kind) {
        case Index::Kind::eNewAxis:
            view.shape.push_back(1);
            view.strides.push_back(0);
            break;
        case Index::Kind::eEllipsis:
            addWhole(base.shape.size() - used);
            break;
        case Index::Kind::eSlice:
            addSlice(view, index.slice, base.shape[axis], base.strides[axis]);
            ++axis;
            break;
        case Index::Kind::eInteger: {
            const int64_t extent = base.shape[axis];
            if (index.integer < -extent || index.integer >= extent)
                fail<InvalidArgument>("index {} is out of bounds for axis {} with {}",
                                      index.integer, axis,
                                      counted(static_cast<uint64_t>(extent), "element"));
            view.offset +=
                (index.integer < 0 ? index.integer + extent : index.integer) * base.strides[axis];
            ++axis;
            break;
        }
        }
    }
    addWhole(base.shape.size() - axis);
    return arrays::arrayOf(std::move(view));
}

Array Array::reshape(const Shape& shape) const {
    const Shape complete = arrays::completed(shape, size());
    const View view = stateOf(*this).evaluated();
    if (std::optional<Shape> strides = reshapedStrides(view, complete))
        return arrays::arrayOf(
            View{view.storage, view.offset, complete, std::move(*strides), view.writable});
    const View copied = arrays::contiguous(view);
    return arrays::arrayOf(
        View{copied.storage, copied.offset, complete, contiguousStrides(complete), true});
}

Array Array::transpose(const Shape& axes) const {
    const View base = stateOf(*this).evaluated();
    const size_t ndim = base.shape.size();
    if (!axes.empty() && axes.size() != ndim)
        fail<InvalidArgument>("{} do not order an array of {}", counted(axes.size(), "axis"),
                              counted(ndim, "dimension"));
    View view{base.storage, base.offset, {}, {}, base.writable};
    std::vector<bool> seen(ndim);
    for (size_t place = 0; place < ndim; ++place) {
        const size_t axis = axes.empty() ? ndim - 1 - place : arrays::axisOf(axes[place], ndim);
        if (seen[axis])
            fail<InvalidArgument>("axis {} is given twice", axis);
        seen[axis] = true;
        view.shape.push_back(base.shape[axis]);
        view.strides.push_back(base.strides[axis]);
    }
    return arrays::arrayOf(std::move(view));
}

Array Array::broadcastTo(const Shape& shape) const {
    arrays::requireNotNegative(shape);
    const View base = stateOf(*this).evaluated();
    arrays::requireBroadcast("an array", base.shape, shape);
    if (base.shape == shape)
        return *this;
    return arrays::arrayOf(View{base.storage, base.offset, shape,
                                arrays::broadcastStrides(base.shape, base.strides, shape), false});
}

Array Array::strided(int64_t offset, const Shape& shape, const Shape& strides,
                     bool writable) const {
    const View base = stateOf(*this).evaluated();
    if (shape.size() != strides.size())
        fail<InvalidArgument>("{} {} given for {}", counted(strides.size(), "stride"),
                              strides.size() == 1 ? "was" : "were",
                              counted(shape.size(), "extent"));
    arrays::requireNotNegative(shape);
    const View view{base.storage, offset, shape, strides, base.writable && writable};
    int64_t first = offset;
    int64_t last = offset;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        first += std::min<int64_t>(0, (shape[axis] - 1) * strides[axis]);
        last += std::max<int64_t>(0, (shape[axis] - 1) * strides[axis]);
    }
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (!empty && (first < 0 || last >= base.storage->count()))
        fail<InvalidArgument>("a view of shape {} with strides {} at {} is not within {}",
                              toString(shape), toString(strides), offset,
                              counted(static_cast<uint64_t>(base.storage->count()), "element"));
    return arrays::arrayOf(view);
}

Array Array::view(DType wanted) const {
    State& state = stateOf(*this);
    const std::lock_guard lock(arrays::engineLock());
    View view = state.evaluated();
    if (wanted == state.dtype)
        return arrays::arrayOf(std::move(view));
    state.home->require(wanted);
    const auto from = static_cast<int64_t>(itemSize(state.dtype));
    const auto to = static_cast<int64_t>(itemSize(wanted));
    if (from != to) {
        const auto refuse = [&](std::string_view why) {
            fail<InvalidArgument>(
                "elements of {} ({} bytes) of shape {} cannot be viewed as {} ({} "
                "bytes): {}",
                toString(state.dtype), from, toString(state.shape), toString(wanted), to, why);
        };
        if (state.shape.size() == 0)
            refuse("an array without axes keeps the size of its element; reshape it to (1,) first");
        const size_t last = state.shape.size() - 1;
        if (view.shape[last] != 1 && state.shape.product() != 0 && view.strides[last] != 1)
            refuse("the last axis must be contiguous; copy() the array first");
        if (from % to != 0 && to < from)
            refuse("the size of the smaller type must divide the other");
        const int64_t bytes = view.shape[last] * from;
        if (bytes % to != 0)
            refuse(formatted("the last axis has {} bytes, which is not a whole number of elements",
                             bytes));
        view.shape[last] = bytes / to;
        view.strides[last] = 1;
        const auto rescale = [&](int64_t& elements, const char* what) {
            if (elements * from % to != 0)
                fail<Unsupported>(
                    "the view has {} of {} bytes, which is not a multiple of the {} of "
                    "{}; copy() the array first",
                    what, elements * from, to, toString(wanted));
            elements = elements * from / to;
        };
        if (state.shape.product() == 0)
            return arrays::arrayOf(View::blank(state.home, view.shape, wanted));
        rescale(view.offset, "an offset");
        for (size_t axis = 0; axis < last; ++axis)
            if (view.shape[axis] == 1)
                view.strides[axis] = 0;
            else
                rescale(view.strides[axis], "a stride");
        if (to < from)
            arrays::requireExtents(view.shape);
    }
    view.storage = std::make_shared<arrays::Storage>(view.storage, wanted);
    return arrays::arrayOf(std::move(view));
}

int64_t Array::offset() const {
    return stateOf(*this).evaluated().offset;
}

bool Array::isWritable() const {
    return stateOf(*this).evaluated().writable;
}

bool Array::isContiguous() const {
    return stateOf(*this).evaluated().isContiguous();
}

bool Array::isWhole() const {
    return stateOf(*this).evaluated().isWhole();
}

namespace {

/// Returns the real (0) or the imaginary parts (1) of complex numbers: of those in memory, a view.
Array complexPart(const Array& x, int64_t part) {
    static const std::string* const texts[] = {arrays::interned("({0}).x"),
                                               arrays::interned("({0}).y")};
    const DType dtype = realOf(x.dtype());
    const arrays::NodePtr node = arrays::stateOf(x).node();
    if (node->op == arrays::Op::eLeaf && x.ndim() > 0 && node->strides.back() == 1)
        return x.view(dtype).select({ellipsis, Slice(part, kp::end, 2)});
    return arrays::arrayOf(arrays::text(texts[part], dtype, x.shape(), {node}));
}

} // namespace

Array real(const Array& x) {
    return x.dtype() < DType::eComplex64 ? x : complexPart(x, 0);
}

Array imag(const Array& x) {
    if (x.dtype() < DType::eComplex64)
        return zeros(x.shape(), x.dtype(), &x.manager());
    return complexPart(x, 1);
}

} // namespace kp
