// SPDX-License-Identifier: Apache-2.0
#include "sparse/Elements.hpp"

#include <bit>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>
#include <kompute/primitives/select/OpUnique.hpp>
#include <kompute/primitives/sort/OpSort.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/memory/HostWord.hpp"
#include "base/Text.hpp"

namespace kp::sparse {
namespace {

using arrays::arrayOf;
using arrays::Home;
using arrays::rangeOf;
using arrays::stateOf;
using arrays::View;

constexpr int64_t kExtentLimit = int64_t{1} << 31;

void requireRow(const Array& x, const char* name) {
    if (x.ndim() != 1)
        fail<InvalidArgument>("the {} of a sparse matrix have one axis, not the shape {}", name,
                              toString(x.shape()));
}

/// Elements by their places, row * columns + column, in ascending order.
struct Placed {
    Array keys;
    Array data;
};

View evaluated(const Array& x) {
    return arrays::contiguous(stateOf(x).evaluated());
}

Placed sorted(const Array& keys, const Array& data, uint64_t places) {
    const View given = evaluated(keys);
    const std::shared_ptr<Home> home = given.storage->home();
    const View ordered = View::blank(home, given.shape, keys.dtype());
    SortOptions options;
    options.endBit = static_cast<uint32_t>(std::bit_width(places - 1));
    options.sortedKeys = rangeOf(ordered);
    if (options.endBit == 0) // a single place
        return {keys, data};
    if (itemSize(data.dtype()) <= 8) {
        const View values = evaluated(data);
        const View moved = View::blank(home, given.shape, data.dtype());
        options.sortedValues = rangeOf(moved);
        home->queue()->launch(std::make_shared<OpSort>(rangeOf(given), rangeOf(values), options));
        return {arrayOf(ordered), arrayOf(moved)};
    }
    const View order = View::blank(home, given.shape, DType::eUint32);
    home->queue()->launch(std::make_shared<OpArgSort>(rangeOf(given), rangeOf(order), options));
    return {arrayOf(ordered), gathered(data, arrayOf(order))};
}

/// Returns the sums of segments of real numbers.
Array segmentSums(const Array& data, const Array& offsets) {
    const View from = evaluated(data);
    const View by = evaluated(offsets);
    View out = View::blank(from.storage->home(), {offsets.size() - 1}, data.dtype());
    ReduceOptions options;
    options.segments = rangeOf(by);
    from.storage->home()->queue()->launch(
        std::make_shared<OpReduce>(rangeOf(from), rangeOf(out), ReduceOperation::eSum, options));
    return arrayOf(std::move(out));
}

/// Same, of any numbers.
Array sumsOf(const Array& data, const Array& offsets) {
    if (data.dtype() < DType::eComplex64)
        return segmentSums(data, offsets);
    const bool isDouble = data.dtype() == DType::eComplex128;
    const Array parts =
        stack({segmentSums(real(data), offsets), segmentSums(imag(data), offsets)}, 1);
    return parts.view(isDouble ? DType::eComplex128 : DType::eComplex64).reshape({-1});
}

/// Adds the elements of one place.
Placed summed(const Placed& elements) {
    const View given = evaluated(elements.keys);
    const std::shared_ptr<Home> home = given.storage->home();
    const View keys = View::blank(home, given.shape, elements.keys.dtype());
    const View counts = View::blank(home, given.shape, DType::eUint32);
    const arrays::HostWord count(home);
    UniqueOptions options;
    options.counts = rangeOf(counts);
    home->queue()->launch(
        std::make_shared<OpUnique>(rangeOf(given), rangeOf(keys), rangeOf(count.view()), options));
    const int64_t found = count.read();
    if (found == elements.keys.size())
        return elements;
    const Array ends = cumsum(arrays::firstOf(counts, found).astype(DType::eInt64));
    const Array zero = zeros({1}, DType::eInt64, &elements.keys.manager());
    return {arrays::firstOf(keys, found), sumsOf(elements.data, concat({zero, ends}))};
}

} // namespace

void requireWithin(const Array& indices, int64_t extent, int64_t smallest, int64_t largest,
                   const char* name) {
    if (smallest >= 0 && largest < extent)
        return;
    const Array wrong = logicalOr(less(indices, 0), greaterEqual(indices, extent));
    const auto at = argmax(wrong).item<int64_t>();
    fail<InvalidArgument>("element {} of a sparse matrix has {} {}, but the matrix has {}", at,
                          name, indices(at).item<int64_t>(),
                          counted(static_cast<uint64_t>(extent), name));
}

void requireShape(const Shape& shape) {
    if (shape.size() != 2)
        fail<InvalidArgument>("a sparse matrix has two axes, not the shape {}", toString(shape));
    for (const int64_t extent : shape)
        if (extent < 0 || extent >= kExtentLimit)
            fail<InvalidArgument>("the extents of a sparse matrix are from 0 to 2^31 - 1, not {}",
                                  extent);
}

void requireElements(const Array& data) {
    requireRow(data, "elements");
    if (data.dtype() < DType::eFloat32)
        fail<InvalidArgument>("the elements of a sparse matrix are float32, float64, complex64 or "
                              "complex128, not {}; convert them with astype()",
                              toString(data.dtype()));
}

void requireIndices(const Array& indices, const char* name) {
    requireRow(indices, name);
    if (indices.dtype() >= DType::eFloat16 || indices.dtype() == DType::eBool)
        fail<InvalidArgument>("the {} of a sparse matrix are integers, not {}", name,
                              toString(indices.dtype()));
}

void requireCount(const Array& indices, const char* name, int64_t count) {
    if (indices.size() != count)
        fail<InvalidArgument>("a sparse matrix of {} has {} {}, which must be as many",
                              counted(static_cast<uint64_t>(count), "element"), indices.size(),
                              name);
}

Array gathered(const Array& x, const Array& indices) {
    return arrays::picked(x, {{0, indices}});
}

void scatter(const Array& row, const Array& values, const Array& indices) {
    if (indices.size() == 0)
        return;
    arrays::put(row.strided(row.offset(), indices.shape(), {0}), values, {indices},
                {{row.size(), row.strides()[0]}});
}

Array numbered(int64_t count, DType type, Manager& manager) {
    return arange(0, count, 1, type, &manager);
}

Array placesOf(const Array& sorted, int64_t count, SearchSide side, DType type) {
    const View row = evaluated(sorted);
    const View needles = evaluated(numbered(count, sorted.dtype(), sorted.manager()));
    View places = View::blank(row.storage->home(), {count}, type);
    row.storage->home()->queue()->launch(
        std::make_shared<OpSearchSorted>(rangeOf(row), rangeOf(needles), rangeOf(places), side));
    return arrayOf(std::move(places));
}

Csr compressedKnown(const Array& data, const Array& row, const Array& column, const Shape& shape) {
    Manager& manager = data.manager();
    const DType type = indexType(shape, data.size());
    if (data.size() == 0)
        return Csr::trusted(data, zeros({0}, type, &manager), zeros({shape[0] + 1}, type, &manager),
                            shape);
    const auto places = static_cast<uint64_t>(shape[0]) * static_cast<uint64_t>(shape[1]);
    const DType keyType = places - 1 <= UINT32_MAX ? DType::eUint32 : DType::eUint64;
    const Array keys = row.astype(keyType) * Operand(keyType, shape[1]) + column.astype(keyType);
    const Placed made = summed(sorted(keys, data, places));
    const Array columns = remainder(made.keys, Operand(keyType, shape[1])).astype(type);
    const Array rows = floorDivide(made.keys, Operand(keyType, shape[1])).astype(DType::eInt32);
    arrays::together({columns, rows});
    return Csr::trusted(made.data, columns, placesOf(rows, shape[0] + 1, SearchSide::eLeft, type),
                        shape);
}

} // namespace kp::sparse
