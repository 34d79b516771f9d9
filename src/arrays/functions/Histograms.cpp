// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Histograms.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/primitives/reduce/OpHistogram.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::rangeOf;
using arrays::stateOf;
using arrays::View;

View rowOf(const Array& x) {
    return arrays::contiguous(stateOf(arrays::flat(x)).evaluated());
}

/// Counts the elements of a row in bins.
Array countsOf(const View& row, int64_t bins, DType dtype, const Bins& kind,
               const HistogramOptions& options = {}) {
    View out = View::blank(row.storage->home(), {bins}, dtype);
    if (bins != 0)
        row.storage->home()->launch(
            std::make_shared<OpHistogram>(rangeOf(row), rangeOf(out), kind, options));
    return arrayOf(std::move(out));
}

Array countable(const Array& x) {
    return x.dtype() == DType::eBool ? x.astype(DType::eUint8) : x;
}

/// Returns the type without a sign of as many bits as an integer type.
DType withoutSign(DType dtype) {
    switch (dtype) {
    case DType::eInt8:
        return DType::eUint8;
    case DType::eInt16:
        return DType::eUint16;
    case DType::eInt32:
        return DType::eUint32;
    case DType::eInt64:
        return DType::eUint64;
    default:
        return dtype;
    }
}

/// Returns how many integers from 0 on there are up to the largest of an array, at least a minimum.
int64_t binsFor(const Array& x, int64_t minimum) {
    if (x.ndim() != 1)
        fail<InvalidArgument>("bincount() takes integers of one axis, not of shape {}; take "
                              "kp::ravel()",
                              toString(x.shape()));
    if (x.dtype() >= DType::eFloat16)
        fail<InvalidArgument>("bincount() counts integers, not {}", toString(x.dtype()));
    if (minimum < 0)
        fail<InvalidArgument>("bincount() returns at least a number of elements that is not "
                              "negative, not {}",
                              minimum);
    if (x.size() == 0)
        return minimum;
    // Without a sign, negative ones are larger than all others: one pass finds both.
    const bool isSigned = x.dtype() != withoutSign(x.dtype());
    const auto most = max(x.astype(withoutSign(x.dtype()))).item<uint64_t>();
    if (isSigned && most >= uint64_t{1} << (8 * itemSize(x.dtype()) - 1))
        fail<InvalidArgument>("bincount() takes integers that are not negative, but one is {}",
                              min(x).item<int64_t>());
    if (most >= uint64_t{1} << 63)
        fail<InvalidArgument>(
            "bincount() has a bin for each integer up to the largest, but that is {}", most);
    return std::max(static_cast<int64_t>(most) + 1, minimum);
}

} // namespace

Histogram histogram(const Array& given, int64_t bins, double low, double high) {
    arrays::requireOrder(given, "histogram");
    if (bins < 1)
        fail<InvalidArgument>("histogram() counts in at least 1 bin, not {}", bins);
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
        fail<InvalidArgument>(
            "bins are from a finite number to one that is not less, not from {} to "
            "{}",
            low, high);
    if (low == high) { // as NumPy
        low -= 0.5;
        high += 0.5;
    }
    const Array x = countable(given);
    const DType dtype = x.dtype() < DType::eFloat16 ? defaultFloat(x.manager()) : x.dtype();
    return {countsOf(rowOf(x), bins, DType::eInt64, Bins::even(low, high)),
            linspace(low, high, bins + 1, dtype, &x.manager())};
}

Histogram histogram(const Array& x, int64_t bins) {
    arrays::requireOrder(x, "histogram");
    if (x.size() == 0)
        return histogram(x, bins, 0, 1);
    const Array least = min(x), most = max(x);
    most.evaluate(); // before the first wait
    return histogram(x, bins, least.item<double>(), most.item<double>());
}

Histogram histogram(const Array& given, const Array& edges) {
    arrays::requireOrder(given, "histogram");
    arrays::requireOrder(edges, "histogram");
    if (edges.ndim() != 1 || edges.size() < 2)
        fail<InvalidArgument>(
            "histogram() takes edges of one axis, at least 2 of them, not of shape "
            "{}",
            toString(edges.shape()));
    if (any(less(edges(Slice(1, end)), edges(Slice(begin, -1)))).item<bool>())
        throw InvalidArgument(
            "the edges of a histogram ascend, but one is less than the one before");
    const DType dtype = promote(countable(given).dtype(), edges.dtype());
    const View row = rowOf(given.astype(dtype));
    const View bounds = rowOf(edges.astype(dtype));
    return {countsOf(row, edges.size() - 1, DType::eInt64, Bins::between(rangeOf(bounds))), edges};
}

Array bincount(const Array& x, int64_t minimum) {
    const Array integers = countable(x);
    return countsOf(rowOf(integers), binsFor(integers, minimum), DType::eInt64, Bins::integers());
}

Array bincount(const Array& x, const Array& weights, int64_t minimum) {
    if (weights.shape() != x.shape())
        fail<InvalidArgument>("bincount() takes a weight for each element, so of shape {}, not {}",
                              toString(x.shape()), toString(weights.shape()));
    arrays::requireOrder(weights, "bincount");
    const Array integers = countable(x);
    const int64_t bins = binsFor(integers, minimum);
    const DType dtype = defaultFloat(x.manager());
    const View by = rowOf(weights.astype(dtype));
    HistogramOptions options;
    options.weights = rangeOf(by);
    return countsOf(rowOf(integers), bins, dtype, Bins::integers(), options);
}

} // namespace kp
