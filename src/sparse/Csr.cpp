// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Csr.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "base/Text.hpp"
#include "core/queue/LaunchCapture.hpp"
#include "sparse/Elements.hpp"

namespace kp::sparse {
namespace {

/// Returns the elements at indices that are clamped to the array, which has some.
Array clamped(const Array& x, const Array& indices) {
    return arrays::picked(x, {{0, minimum(maximum(indices, 0), x.size() - 1)}});
}

/// Returns numbers of the device, which are computed together.
std::vector<int64_t> readAll(const std::vector<Array>& numbers) {
    std::vector<Array> wide;
    for (const Array& number : numbers)
        wide.push_back(number.astype(DType::eInt64));
    return stack(wide).vector<int64_t>();
}

/// Returns how many neighbours do not ascend, less those at the beginnings of rows.
Array descents(const Array& indices, const Array& offsets) {
    const Array first = indices(Slice(0, -1));
    const Array next = indices(Slice(1, end));
    const Array starts = offsets(Slice(0, -1));
    const Array isBeginning =
        logicalAnd(greater(offsets(Slice(1, end)), starts), greater(starts, 0));
    const Array atBeginnings = lessEqual(clamped(indices, starts), clamped(indices, starts - 1));
    return countNonzero(lessEqual(next, first)) -
           countNonzero(logicalAnd(isBeginning, atBeginnings));
}

} // namespace

struct Csr::State {
    Array data;
    Array indices;
    Array offsets;
    Shape shape;
    std::mutex mutex;
    std::optional<int64_t> longestRow;
    std::optional<bool> canonical;

    /// Checks the offsets and indices, and finds what else is known of them then.
    void check() {
        // Differences of fewer bits could wrap around.
        const Array lengths = diff(offsets.astype(DType::eInt64));
        std::vector<Array> numbers = {offsets(0), offsets(-1)};
        const int64_t nonzeros = data.size();
        if (shape[0] > 0)
            numbers.insert(numbers.end(), {min(lengths), max(lengths)});
        if (nonzeros > 0)
            numbers.insert(numbers.end(), {min(indices), max(indices)});
        if (nonzeros > 1 && shape[0] > 0)
            numbers.push_back(descents(indices, offsets));
        const std::vector<int64_t> found = readAll(numbers);
        if (found[0] != 0)
            fail<InvalidArgument>("the first offset of a sparse matrix is 0, not {}", found[0]);
        if (found[1] != nonzeros)
            fail<InvalidArgument>("the last offset of a sparse matrix is its number of elements, "
                                  "{}, not {}",
                                  nonzeros, found[1]);
        if (shape[0] > 0 && found[2] < 0) {
            const auto at = argmax(less(lengths, 0)).item<int64_t>();
            fail<InvalidArgument>("the offsets of a sparse matrix ascend, but offset {} is {} and "
                                  "offset {} is {}",
                                  at, offsets(at).item<int64_t>(), at + 1,
                                  offsets(at + 1).item<int64_t>());
        }
        if (nonzeros > 0)
            requireWithin(indices, shape[1], found[numbers.size() - (nonzeros > 1 ? 3 : 2)],
                          found[numbers.size() - (nonzeros > 1 ? 2 : 1)], "column");
        longestRow = shape[0] > 0 ? found[3] : 0;
        canonical = nonzeros < 2 || found.back() == 0;
    }
};

DType indexType(const Shape& shape, int64_t nonzeros) {
    requireShape(shape);
    return nonzeros <= INT32_MAX ? DType::eInt32 : DType::eInt64;
}

Csr Csr::trusted(const Array& data, const Array& indices, const Array& offsets,
                 const Shape& shape) {
    Csr made;
    made.mState = std::make_shared<State>();
    made.mState->data = data;
    made.mState->indices = indices;
    made.mState->offsets = offsets;
    made.mState->shape = shape;
    return made;
}

Csr::Csr(const Array& data, const Array& indices, const Array& offsets, const Shape& shape) {
    requireShape(shape);
    requireElements(data);
    requireIndices(indices, "indices");
    requireIndices(offsets, "offsets");
    requireCount(indices, "indices", data.size());
    if (offsets.size() != shape[0] + 1)
        fail<InvalidArgument>("a sparse matrix of {} has one offset more, not {}",
                              counted(static_cast<uint64_t>(shape[0]), "row"), offsets.size());
    const DType type = indexType(shape, data.size());
    // Checked in the type given: a conversion could make a wrong number a right one.
    *this = trusted(data, indices, offsets, shape);
    mState->check();
    mState->indices = indices.astype(type);
    mState->offsets = offsets.astype(type);
}

const Csr::State& Csr::state() const {
    if (!mState)
        throw InvalidArgument("there is no sparse matrix: it was made without arguments");
    return *mState;
}

const Array& Csr::data() const {
    return state().data;
}

const Array& Csr::indices() const {
    return state().indices;
}

const Array& Csr::offsets() const {
    return state().offsets;
}

const Shape& Csr::shape() const {
    return state().shape;
}

int64_t Csr::longestRow() const {
    static_cast<void>(state());
    const std::lock_guard lock(mState->mutex);
    if (!mState->longestRow) {
        // A captured function may have its first product with a matrix from before it.
        const LaunchCapture::Pause pause(
            LaunchCapture::find(arrays::stateOf(offsets()).evaluated().storage->capture));
        mState->longestRow = rows() == 0 ? 0 : max(diff(offsets())).item<int64_t>();
    }
    return *mState->longestRow;
}

bool Csr::isCanonical() const {
    static_cast<void>(state());
    const std::lock_guard lock(mState->mutex);
    if (!mState->canonical)
        mState->canonical = nonzeros() < 2 || descents(indices(), offsets()).item<int64_t>() == 0;
    return *mState->canonical;
}

Csr Csr::withData(const Array& data) const {
    requireElements(data);
    if (data.size() != nonzeros())
        fail<InvalidArgument>("a sparse matrix of {} cannot have {} instead",
                              counted(static_cast<uint64_t>(nonzeros()), "element"), data.size());
    Csr made = trusted(data, indices(), offsets(), shape());
    const std::lock_guard lock(mState->mutex);
    made.mState->longestRow = mState->longestRow;
    made.mState->canonical = mState->canonical;
    return made;
}

} // namespace kp::sparse
