// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Triangle.hpp>

#include <algorithm>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/primitives/sparse/OpSparseMatMul.hpp>
#include <kompute/sparse/Conversions.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "base/Text.hpp"
#include "sparse/Elements.hpp"

namespace kp::sparse {
namespace {

using Numbers = std::vector<int64_t>;

Numbers numbersOf(const Array& x) {
    return x.astype(DType::eInt64).vector<int64_t>();
}

Array indicesOf(const Numbers& numbers, DType type, Manager& manager) {
    return Array::of(numbers, &manager).astype(type).copy();
}

/// @throws InvalidArgument that names the first element on the wrong side
void requireSide(const Numbers& offsets, const Numbers& columns, bool upper) {
    for (size_t row = 0; row + 1 < offsets.size(); ++row)
        for (int64_t at = offsets[row]; at < offsets[row + 1]; ++at) {
            const int64_t column = columns[static_cast<size_t>(at)];
            if (upper ? column < static_cast<int64_t>(row) : column > static_cast<int64_t>(row))
                fail<InvalidArgument>("the matrix is not {} triangular: element ({}, {}) is {} the "
                                      "diagonal",
                                      upper ? "upper" : "lower", row, column,
                                      upper ? "below" : "above");
        }
}

/// Returns the level of each row: one more than the highest that it needs.
Numbers levelsOf(const Numbers& offsets, const Numbers& columns, bool upper) {
    const size_t size = offsets.size() - 1;
    Numbers levels(size);
    for (size_t i = 0; i < size; ++i) {
        const size_t row = upper ? size - 1 - i : i;
        for (int64_t at = offsets[row]; at < offsets[row + 1]; ++at)
            if (const auto column = static_cast<size_t>(columns[static_cast<size_t>(at)]);
                column != row)
                levels[row] = std::max(levels[row], levels[column] + 1);
    }
    return levels;
}

} // namespace

struct Triangle::State {
    /// Some rows in the order of levels, and their elements beside the diagonal.
    struct Level {
        int64_t firstRow;
        int64_t rows;
        int64_t firstElement;
        int64_t elements;
        int64_t longestRow;
    };

    Shape shape;
    std::vector<Level> levels;
    Array order;   ///< the row of the matrix at each place
    Array places;  ///< the place of each row
    Array offsets; ///< of each level, from 0 on
    Array indices;
    Array elements; ///< beside the diagonal
    Array diagonal; ///< no array: ones
};

Triangle::Triangle(const Csr& a, const TriangleOptions& options) {
    if (a.rows() != a.columns())
        fail<InvalidArgument>("a triangular matrix is square, not of shape {}",
                              toString(a.shape()));
    const auto state = std::make_shared<State>();
    mState = state;
    state->shape = a.shape();
    if (a.rows() == 0)
        return;
    const Csr of = canonical(a);
    const Numbers begins = numbersOf(of.offsets());
    const Numbers columns = numbersOf(of.indices());
    requireSide(begins, columns, options.upper);
    Manager& manager = a.manager();
    const Array onDiagonal = options.unitDiagonal ? Array() : diagonal(of);
    if (!options.unitDiagonal) {
        const Array isZero = equal(onDiagonal, 0);
        if (any(isZero).item<bool>())
            fail<InvalidArgument>("the triangular matrix is singular: its diagonal is 0 in row {}",
                                  argmax(isZero).item<int64_t>());
    }
    const Numbers level = levelsOf(begins, columns, options.upper);
    const size_t size = level.size();
    Numbers order(size);
    for (size_t i = 0; i < size; ++i)
        order[i] = static_cast<int64_t>(i);
    std::ranges::stable_sort(order, {},
                             [&](int64_t row) { return level[static_cast<size_t>(row)]; });
    Numbers places(size);
    for (size_t i = 0; i < size; ++i)
        places[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);

    Numbers offsets, indices, elements;
    for (size_t place = 0; place < size; ++place) {
        const auto row = static_cast<size_t>(order[place]);
        if (place == 0 || level[row] != level[static_cast<size_t>(order[place - 1])]) {
            state->levels.push_back(
                {static_cast<int64_t>(place), 0, static_cast<int64_t>(elements.size()), 0, 0});
            offsets.push_back(0);
        }
        State::Level& current = state->levels.back();
        const int64_t before = current.elements;
        for (int64_t at = begins[row]; at < begins[row + 1]; ++at)
            if (const auto column = static_cast<size_t>(columns[static_cast<size_t>(at)]);
                column != row) {
                indices.push_back(places[column]);
                elements.push_back(at);
                ++current.elements;
            }
        ++current.rows;
        current.longestRow = std::max(current.longestRow, current.elements - before);
        offsets.push_back(current.elements);
    }
    const DType type = of.indices().dtype();
    state->order = indicesOf(order, type, manager);
    state->places = indicesOf(places, type, manager);
    state->offsets = indicesOf(offsets, type, manager);
    state->indices = indicesOf(indices, type, manager);
    state->elements = elements.empty()
                          ? zeros({0}, a.dtype(), &manager)
                          : gathered(of.data(), indicesOf(elements, type, manager)).copy();
    if (!onDiagonal.isNull())
        state->diagonal = gathered(onDiagonal, state->order).copy();
    for (const Array& each :
         {state->order, state->places, state->offsets, state->indices, state->elements})
        each.evaluate();
}

int64_t Triangle::levels() const {
    return static_cast<int64_t>(mState->levels.size());
}

Array Triangle::solve(const Array& b) const {
    const State& state = *mState;
    if ((b.ndim() != 1 && b.ndim() != 2) || b.shape()[0] != state.shape[0])
        fail<InvalidArgument>("a triangular matrix of shape {} takes right sides of {} in one or "
                              "two axes, not of shape {}",
                              toString(state.shape), counted(state.shape[0], "row"),
                              toString(b.shape()));
    if (b.size() == 0)
        return b.copy();
    const Operand types[] = {state.elements, b};
    const DType dtype = commonType(types, 2);
    const Array side = arrays::picked(b.astype(dtype), {{0, state.order}}).evaluate();
    const Array x = zeros(b.shape(), dtype, &b.manager()).copy().evaluate();
    const auto memoryOf = [](const Array& given) { return arrays::stateOf(given).evaluated(); };
    const arrays::View offsets = memoryOf(state.offsets);
    const arrays::View indices = memoryOf(state.indices);
    const Array elements = state.elements.astype(dtype);
    const arrays::View values = memoryOf(elements);
    Array scale;
    if (!state.diagonal.isNull()) {
        scale = reciprocal(state.diagonal.astype(dtype)).evaluate();
        scale = b.ndim() == 1 ? scale : scale.reshape({-1, 1});
    }
    const auto part = [](const arrays::View& view, int64_t first, int64_t count) {
        return TensorRange(view.storage->tensor(), static_cast<uint64_t>(view.offset + first),
                           static_cast<uint64_t>(count));
    };
    const int64_t columns = b.size() / b.shape()[0];
    int64_t firstOffset = 0;
    for (const State::Level& level : state.levels) {
        const Slice rows(level.firstRow, level.firstRow + level.rows);
        Array left = side(rows);
        if (level.elements > 0) {
            Shape shape = b.shape();
            shape[0] = level.rows;
            const arrays::View known = arrays::View::blank(values.storage->home(), shape, dtype);
            arrays::launch(b.manager(),
                           {std::make_shared<OpSparseMatMul>(
                               part(offsets, firstOffset, level.rows + 1),
                               part(indices, level.firstElement, level.elements),
                               part(values, level.firstElement, level.elements),
                               arrays::rangeOf(memoryOf(x)), arrays::rangeOf(known),
                               SparseExtents{static_cast<uint64_t>(level.rows),
                                             static_cast<uint64_t>(state.shape[0]),
                                             static_cast<uint64_t>(columns)},
                               SparseOptions{SparseMethod::eAutomatic,
                                             static_cast<uint64_t>(level.longestRow)})});
            left = left - arrays::arrayOf(known);
        }
        x(rows).assign(scale.isNull() ? left : left * scale(rows));
        firstOffset += level.rows + 1;
    }
    return arrays::picked(x, {{0, state.places}}).evaluate();
}

} // namespace kp::sparse
