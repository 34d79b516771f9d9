// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Padding.hpp>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

void requireWidths(const Array& x, const std::vector<PadWidth>& widths) {
    if (widths.size() != x.ndim())
        fail<InvalidArgument>("pad() takes a width for each axis of an array of shape {}, not {}",
                              toString(x.shape()), widths.size());
    for (const PadWidth& each : widths)
        if (each.before < 0 || each.after < 0)
            fail<InvalidArgument>("the widths of a border are not negative, as {} and {}",
                                  each.before, each.after);
}

std::vector<PadWidth> everywhere(const Array& x, int64_t width) {
    return std::vector<PadWidth>(x.ndim(), PadWidth{width, width});
}

/// Returns a type of places along axes of a number of elements.
DType placeType(int64_t count) {
    // Devices compute remainders of 32 bits many times faster.
    return count < int64_t{1} << 31 ? DType::eInt32 : DType::eInt64;
}

/// Returns which element of an axis stands at each place of a wider one.
Array sources(int64_t extent, const PadWidth& width, PadMode mode, Manager& manager) {
    const DType dtype = placeType(2 * (width.before + extent + width.after));
    const Array place = arange(-width.before, extent + width.after, 1, dtype, &manager);
    switch (mode) {
    case PadMode::eEdge:
        return clip(place, 0, extent - 1);
    case PadMode::eWrap:
        return remainder(place, extent);
    case PadMode::eReflect: {
        if (extent == 1)
            return zeros(place.shape(), dtype, &manager);
        const Array turn = remainder(place, 2 * (extent - 1));
        return minimum(turn, 2 * (extent - 1) - turn);
    }
    case PadMode::eSymmetric: {
        const Array turn = remainder(place, 2 * extent);
        return minimum(turn, 2 * extent - 1 - turn);
    }
    }
    throw InvalidArgument("pad() takes a kp::PadMode");
}

} // namespace

Array pad(const Array& x, const std::vector<PadWidth>& widths, const Operand& value) {
    requireWidths(x, widths);
    const arrays::View view = arrays::stateOf(x).evaluated();
    Shape shape = view.shape;
    Shape strides = view.strides;
    for (size_t axis = 0; axis < widths.size(); ++axis)
        shape[axis] += widths[axis].before + widths[axis].after;
    if (x.size() == 0)
        return full(shape, value, x.dtype(), &x.manager());
    // One kernel: elements of the border read the nearest one, and do not take it.
    Array isInside;
    std::vector<Array> nearest;
    std::vector<arrays::Step> steps;
    for (size_t axis = 0; axis < widths.size(); ++axis) {
        const int64_t extent = view.shape[axis];
        if (shape[axis] == extent)
            continue;
        Shape along = Shape::filled(shape.size(), 0);
        along[axis] = 1;
        const Array place = arrays::addresses(x.manager(), shape, -widths[axis].before, along,
                                              placeType(shape[axis]));
        const Array isElement = logicalAnd(place >= 0, place < extent);
        isInside = isInside.isNull() ? isElement : logicalAnd(isInside, isElement);
        nearest.push_back(clip(place, 0, extent - 1));
        steps.push_back({extent, view.strides[axis]});
        strides[axis] = 0;
    }
    if (nearest.empty())
        return x.copy();
    const Array elements = arrays::take(x.strided(view.offset, shape, strides), nearest, steps);
    return where(isInside, elements, full({}, value, x.dtype(), &x.manager()));
}

Array pad(const Array& x, int64_t width, const Operand& value) {
    return pad(x, everywhere(x, width), value);
}

Array pad(const Array& x, const std::vector<PadWidth>& widths, PadMode mode) {
    requireWidths(x, widths);
    std::vector<arrays::Picked> picked;
    for (size_t axis = 0; axis < widths.size(); ++axis) {
        const int64_t extent = x.shape()[axis];
        if (widths[axis].before == 0 && widths[axis].after == 0)
            continue;
        if (extent == 0)
            fail<InvalidArgument>("axis {} has no elements for a border; give a number instead",
                                  axis);
        picked.push_back({axis, sources(extent, widths[axis], mode, x.manager())});
    }
    return picked.empty() ? x.copy() : arrays::picked(x, picked);
}

Array pad(const Array& x, int64_t width, PadMode mode) {
    return pad(x, everywhere(x, width), mode);
}

} // namespace kp
