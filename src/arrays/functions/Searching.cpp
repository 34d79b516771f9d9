// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Searching.hpp>

#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>
#include <kompute/primitives/select/OpUnique.hpp>
#include <kompute/primitives/sort/OpSort.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/memory/HostWord.hpp"
#include "base/Text.hpp"
#include "primitives/IndexOfNumber.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::Home;
using arrays::rangeOf;
using arrays::Rows;
using arrays::stateOf;
using arrays::View;

Array extremeAlong(const char* name, ReduceOperation operation, const Array& x, int64_t axis,
                   bool keepAxis) {
    arrays::requireOrder(x, name);
    const size_t place = arrays::axisOf(axis, x.ndim());
    if (x.shape()[place] == 0)
        fail<InvalidArgument>("{}() of no elements: axis {} of shape {} has none", name, place,
                              toString(x.shape()));
    const Rows rows(x, place);
    Shape kept = rows.view.shape;
    kept.erase(kept.size() - 1);
    View out = View::blank(rows.home, kept, DType::eInt64);
    ReduceOptions options;
    options.shape = {rows.count(), rows.length()};
    options.axis = 1;
    if (rows.count() != 0)
        rows.home->launch(
            std::make_shared<OpReduce>(rangeOf(rows.view), rangeOf(out), operation, options));
    return rows.reduced(std::move(out), keepAxis);
}

/// The distinct elements of all of an array. Results that are not requested are null.
Unique distinct(const Array& x, bool all) {
    arrays::requireOrder(x, all ? "uniqueAll" : "unique");
    const std::shared_ptr<Home> home = stateOf(x).home;
    const View given = arrays::contiguous(stateOf(arrays::flat(x)).evaluated());
    const Shape shape = given.shape;
    const int64_t size = shape[0];
    const View ordered = View::blank(home, shape, x.dtype());
    const View values = View::blank(home, shape, x.dtype());
    View order;
    View places;
    View counts;
    if (all)
        for (View* const each : {&order, &places, &counts})
            *each = View::blank(home, shape, DType::eInt64);
    int64_t found = 0;
    int64_t nans = 0;
    if (size != 0) {
        const arrays::HostWord count(home);
        SortOptions sorting;
        sorting.equalZeros = true;
        sorting.sortedKeys = rangeOf(ordered);
        UniqueOptions options;
        if (all) {
            options.counts = rangeOf(counts);
            options.inverse = rangeOf(places);
            home->launch(std::make_shared<OpArgSort>(rangeOf(given), rangeOf(order), sorting));
        } else {
            home->launch(std::make_shared<OpSort>(rangeOf(given), TensorRange(), sorting));
        }
        home->launch(std::make_shared<OpUnique>(rangeOf(ordered), rangeOf(values),
                                                rangeOf(count.view()), options));
        if (x.dtype() >= DType::eFloat16) {
            // NaNs are last, and differ from each other.
            const Array last = isnan(arrayOf(ordered)(-1));
            const arrays::HostWord isNan(home);
            arrays::store(isNan.view(), stateOf(last.astype(DType::eUint32)).node());
            if (isNan.read() != 0)
                nans = countNonzero(isnan(arrayOf(given))).item<int64_t>();
        }
        found = count.read() - (nans > 1 ? nans - 1 : 0);
    }
    Unique result;
    result.values = arrays::firstOf(values, found);
    if (!all)
        return result;
    result.counts = arrays::firstOf(counts, found);
    if (nans > 1)
        result.counts(-1).assign(nans);
    const Array starts = cumsum(result.counts) - result.counts;
    result.indices = found ? take(arrayOf(order), starts) : result.counts.copy();
    const Array inverse = empty(shape, DType::eInt64, &x.manager());
    if (size != 0) {
        const Array which = minimum(arrayOf(places), found - 1);
        arrays::put(inverse.strided(0, shape, {0}), which, {arrayOf(order)}, {{size, 1}});
    }
    result.inverse = inverse.reshape(x.shape());
    return result;
}

} // namespace

Array arrays::indexOfNumber(const Array& x, ReduceOperation operation, std::optional<int64_t> axis,
                            bool keepAxis) {
    const View view = contiguous(stateOf(x).evaluated());
    const std::shared_ptr<Home>& home = view.storage->home();
    const size_t first = axis ? axisOf(*axis, x.ndim()) : 0;
    const size_t last = axis ? first + 1 : x.ndim();
    uint64_t extents[3] = {1, 1, 1}; // before, along and behind the axis
    Shape kept;
    for (size_t place = 0; place < x.ndim(); ++place) {
        const int64_t extent = view.shape[place];
        const bool isReduced = place >= first && place < last;
        extents[isReduced ? 1 : place < first ? 0 : 2] *= static_cast<uint64_t>(extent);
        if (!isReduced || keepAxis)
            kept.push_back(isReduced ? 1 : extent);
    }
    const auto [outer, length, inner] = extents;
    const View out = View::blank(home, kept, DType::eInt64);
    if (outer * inner == 0)
        return arrayOf(out);
    if (length == 0)
        throw InvalidArgument("there is no smallest or largest element among no elements");
    home->launch(std::make_shared<primitives::IndexOfNumber>(rangeOf(view), rangeOf(out), operation,
                                                             outer, length, inner));
    return arrayOf(out);
}

Array sort(const Array& x, int64_t axis, bool descending) {
    arrays::requireOrder(x, "sort");
    const Rows rows(x, arrays::axisOf(axis, x.ndim()));
    View out = rows.blank(x.dtype());
    SortOptions options;
    options.descending = descending;
    options.rowLength = rows.length();
    options.sortedKeys = rangeOf(out);
    if (x.size() != 0)
        rows.home->launch(std::make_shared<OpSort>(rangeOf(rows.view), TensorRange(), options));
    return rows.restored(std::move(out));
}

Array argsort(const Array& x, int64_t axis, bool descending) {
    arrays::requireOrder(x, "argsort");
    const Rows rows(x, arrays::axisOf(axis, x.ndim()));
    View out = rows.blank(DType::eInt64);
    SortOptions options;
    options.descending = descending;
    options.equalZeros = true;
    options.rowLength = rows.length();
    if (x.size() != 0)
        rows.home->launch(std::make_shared<OpArgSort>(rangeOf(rows.view), rangeOf(out), options));
    return rows.restored(std::move(out));
}

Array argmin(const Array& x) {
    return extremeAlong("argmin", ReduceOperation::eArgMinimum, arrays::flat(x), 0, false);
}

Array argmin(const Array& x, int64_t axis, bool keepAxis) {
    return extremeAlong("argmin", ReduceOperation::eArgMinimum, x, axis, keepAxis);
}

Array argmax(const Array& x) {
    return extremeAlong("argmax", ReduceOperation::eArgMaximum, arrays::flat(x), 0, false);
}

Array argmax(const Array& x, int64_t axis, bool keepAxis) {
    return extremeAlong("argmax", ReduceOperation::eArgMaximum, x, axis, keepAxis);
}

Array searchsorted(const Array& sorted, const Array& values, SearchSide side) {
    arrays::requireOrder(sorted, "searchsorted");
    arrays::requireOrder(values, "searchsorted");
    if (sorted.ndim() != 1)
        fail<InvalidArgument>("searchsorted() takes sorted elements of one axis, not of shape {}",
                              toString(sorted.shape()));
    const Operand operands[] = {sorted, values};
    const DType dtype = commonType(operands, 2);
    const std::shared_ptr<Home> home = stateOf(sorted).home;
    if (sorted.size() == 0 || values.size() == 0)
        return zeros(values.shape(), DType::eInt64, &sorted.manager());
    const View row = arrays::contiguous(stateOf(sorted.astype(dtype)).evaluated());
    const View needles = arrays::contiguous(stateOf(values.astype(dtype)).evaluated());
    View places = View::blank(home, values.shape(), DType::eInt64);
    home->launch(
        std::make_shared<OpSearchSorted>(rangeOf(row), rangeOf(needles), rangeOf(places), side));
    return arrayOf(std::move(places));
}

Array unique(const Array& x) {
    return distinct(x, false).values;
}

Unique uniqueAll(const Array& x) {
    return distinct(x, true);
}

} // namespace kp
