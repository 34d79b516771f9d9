// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Conversions.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/primitives/sort/OpSort.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"
#include "sparse/Elements.hpp"

namespace kp::sparse {

Csr compressed(const Array& data, const Array& row, const Array& column, const Shape& shape) {
    requireShape(shape);
    requireElements(data);
    requireIndices(row, "rows");
    requireIndices(column, "columns");
    requireCount(row, "rows", data.size());
    requireCount(column, "columns", data.size());
    if (data.size() == 0)
        return compressedKnown(data, row, column, shape);
    // Whether elements are in order already, so that they need not be sorted.
    const int64_t last = data.size() - 1;
    std::vector<Array> numbers = {min(row), max(row), min(column), max(column)};
    if (last > 0) {
        const Array before = row(Slice(0, -1));
        const Array after = row(Slice(1, end));
        const Array sameRow =
            logicalAnd(equal(after, before), greater(column(Slice(1, end)), column(Slice(0, -1))));
        numbers.push_back(all(logicalOr(greater(after, before), sameRow)));
    }
    for (Array& number : numbers)
        number = number.astype(DType::eInt64);
    const std::vector<int64_t> found = stack(numbers).vector<int64_t>();
    requireWithin(row, shape[0], found[0], found[1], "row");
    requireWithin(column, shape[1], found[2], found[3], "column");
    if (last > 0 && found[4] == 0)
        return compressedKnown(data, row, column, shape);
    const DType type = indexType(shape, data.size());
    return Csr::trusted(data, column.astype(type),
                        placesOf(row.astype(DType::eInt32), shape[0] + 1, SearchSide::eLeft, type),
                        shape);
}

Csr compressed(const Array& dense) {
    requireShape(dense.shape());
    const Array flat = arrays::flat(dense);
    const Array places = flatnonzero(flat);
    const Array data = gathered(flat, places);
    requireElements(data);
    const Shape& shape = dense.shape();
    const DType type = indexType(shape, places.size());
    if (places.size() == 0)
        return compressedKnown(data, places, places, shape);
    const Array rows = floorDivide(places, shape[1]).astype(DType::eInt32);
    return Csr::trusted(data, remainder(places, shape[1]).astype(type),
                        placesOf(rows, shape[0] + 1, SearchSide::eLeft, type), shape);
}

Array rowsOf(const Csr& a) {
    const DType type = a.indices().dtype();
    if (a.nonzeros() == 0)
        return zeros({0}, type, &a.manager());
    const Array places = placesOf(a.offsets(), a.nonzeros(), SearchSide::eRight, type);
    return places - Operand(type, 1);
}

Csr canonical(const Csr& a) {
    return a.isCanonical() ? a : compressedKnown(a.data(), rowsOf(a), a.indices(), a.shape());
}

Csr transposed(const Csr& a) {
    const Shape shape{a.columns(), a.rows()};
    const DType type = a.indices().dtype();
    if (a.nonzeros() == 0)
        return compressedKnown(a.data(), a.indices(), a.indices(), shape);
    const arrays::View columns =
        arrays::contiguous(arrays::stateOf(a.indices().astype(DType::eUint32)).evaluated());
    const auto home = columns.storage->home();
    const arrays::View keys = arrays::View::blank(home, columns.shape, DType::eUint32);
    const arrays::View order = arrays::View::blank(home, columns.shape, DType::eUint32);
    SortOptions options;
    options.sortedKeys = arrays::rangeOf(keys);
    const auto largest = static_cast<uint32_t>(a.columns() - 1);
    options.endBit = std::max(1u, static_cast<uint32_t>(std::bit_width(largest)));
    home->queue()->launch(
        std::make_shared<OpArgSort>(arrays::rangeOf(columns), arrays::rangeOf(order), options));
    const Array from = arrays::arrayOf(order);
    const Array data = gathered(a.data(), from);
    const Array indices = gathered(rowsOf(a), from);
    arrays::together({data, indices});
    const Array columnsOf = arrays::arrayOf(keys).astype(DType::eInt32);
    return Csr::trusted(data, indices, placesOf(columnsOf, shape[0] + 1, SearchSide::eLeft, type),
                        shape);
}

Array dense(const Csr& given) {
    const Csr a = canonical(given);
    const Array made = zeros({a.rows() * a.columns()}, a.dtype(), &a.manager());
    const Array places = rowsOf(a).astype(DType::eInt64) * a.columns() + a.indices();
    scatter(made, a.data(), places);
    return made.reshape(a.shape());
}

Array diagonal(const Csr& given, int64_t k) {
    const Csr a = canonical(given);
    const int64_t length =
        k >= 0 ? std::min(a.rows(), a.columns() - k) : std::min(a.rows() + k, a.columns());
    const Array made = zeros({std::max<int64_t>(length, 0)}, a.dtype(), &a.manager());
    const Array rows = rowsOf(a);
    const Array on = flatnonzero(equal(a.indices() - rows.astype(DType::eInt64), k));
    scatter(made, gathered(a.data(), on),
            gathered(rows, on).astype(DType::eInt64) + std::min<int64_t>(k, 0));
    return made;
}

Csr rowsBetween(const Csr& a, int64_t begin, int64_t stop) {
    if (begin < 0 || begin > stop || stop > a.rows())
        fail<InvalidArgument>("rows {} to {} are not within {}", begin, stop,
                              counted(static_cast<uint64_t>(a.rows()), "row"));
    const std::vector<int64_t> ends =
        stack({a.offsets()(begin), a.offsets()(stop)}).astype(DType::eInt64).vector<int64_t>();
    const Slice elements(ends[0], ends[1]);
    const Array offsets = a.offsets()(Slice(begin, stop + 1));
    return Csr::trusted(a.data()(elements), a.indices()(elements),
                        begin == 0 ? offsets : offsets - Operand(offsets.dtype(), ends[0]),
                        {stop - begin, a.columns()});
}

} // namespace kp::sparse
