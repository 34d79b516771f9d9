// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Scans.hpp>

#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Manipulation.hpp>
#include <kompute/primitives/scan/OpScan.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/TotalTypes.hpp"
#include "arrays/Views.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::rangeOf;
using arrays::Rows;
using arrays::View;

Array sliceAlong(const Array& x, size_t axis, int64_t start, int64_t stop) {
    std::vector<Index> indices(axis, Slice());
    indices.emplace_back(Slice(start, stop));
    return x.select(indices);
}

/// Multiplies by the products of twice as many elements each time (Hillis and Steele, "Data
/// parallel algorithms", 1986): the primitive has no complex numbers.
Array complexProducts(Array x, size_t axis) {
    for (int64_t step = 1; step < x.shape()[axis]; step *= 2)
        x = concat({sliceAlong(x, axis, begin, step),
                    sliceAlong(x, axis, step, end) * sliceAlong(x, axis, begin, -step)},
                   static_cast<int64_t>(axis));
    return x;
}

Array scanned(const Array& x, ReduceOperation operation, int64_t along) {
    const size_t axis = arrays::axisOf(along, x.ndim());
    if (x.dtype() >= DType::eComplex64) {
        if (operation == ReduceOperation::eProduct)
            return complexProducts(x.copy(), axis);
        return glsl(x.dtype() == DType::eComplex64 ? "vec2({0}, {1})" : "dvec2({0}, {1})",
                    x.dtype(), {cumsum(real(x), along), cumsum(imag(x), along)});
    }
    const DType result = arrays::totalType(x.dtype());
    const DType wide = arrays::atLeastSingle(result);
    const Rows rows(x.astype(wide), axis);
    View out = rows.blank(wide);
    ScanOptions options;
    options.shape = {rows.count(), rows.length()};
    options.axis = 1;
    if (x.size() != 0)
        rows.home->launch(
            std::make_shared<OpScan>(rangeOf(rows.view), rangeOf(out), operation, options));
    return rows.restored(std::move(out)).astype(result);
}

} // namespace

Array cumsum(const Array& x) {
    return scanned(arrays::flat(x), ReduceOperation::eSum, 0);
}

Array cumsum(const Array& x, int64_t axis) {
    return scanned(x, ReduceOperation::eSum, axis);
}

Array cumprod(const Array& x) {
    return scanned(arrays::flat(x), ReduceOperation::eProduct, 0);
}

Array cumprod(const Array& x, int64_t axis) {
    return scanned(x, ReduceOperation::eProduct, axis);
}

Array diff(const Array& x, int64_t times, int64_t axis) {
    const size_t place = arrays::axisOf(axis, x.ndim());
    if (times < 0)
        fail<InvalidArgument>(
            "diff() takes differences a number of times that is not negative, not "
            "{}",
            times);
    Array result = x;
    for (int64_t i = 0; i < times; ++i) {
        const Array later = sliceAlong(result, place, 1, end);
        const Array earlier = sliceAlong(result, place, begin, -1);
        result = x.dtype() == DType::eBool ? notEqual(later, earlier) : subtract(later, earlier);
    }
    return result;
}

} // namespace kp
