// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Padding.hpp>

#include <kompute/Error.hpp>

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

/// Returns which element of an axis stands at each place of a wider one.
Array sources(int64_t extent, const PadWidth& width, PadMode mode, Manager& manager) {
    // Devices compute remainders of 32 bits many times faster.
    const bool fits = 2 * (width.before + extent + width.after) < int64_t{1} << 31;
    const DType dtype = fits ? DType::eInt32 : DType::eInt64;
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
    Shape shape;
    std::vector<Index> inner;
    for (size_t axis = 0; axis < widths.size(); ++axis) {
        const auto& [before, after] = widths[axis];
        shape.push_back(before + x.shape()[axis] + after);
        inner.emplace_back(Slice(before, before + x.shape()[axis]));
    }
    const Array padded = full(shape, value, x.dtype(), &x.manager());
    padded.select(inner).assign(x);
    return padded;
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
