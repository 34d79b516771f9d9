// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Arithmetic.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/sparse/Conversions.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"
#include "sparse/Elements.hpp"

namespace kp::sparse {
namespace {

DType commonOf(const Array& a, const Array& b) {
    const Operand operands[] = {a, b};
    return commonType(operands, 2);
}

void requireInner(const Csr& a, const Shape& shape) {
    if (a.columns() != shape[0])
        fail<InvalidArgument>(
            "a sparse matrix of shape {} and shape {} cannot be multiplied: their "
            "inner extents differ, {} and {}",
            toString(a.shape()), toString(shape), a.columns(), shape[0]);
}

} // namespace

Array matmul(const Csr& a, const Array& x, SparseMethod method) {
    if (x.ndim() != 1 && x.ndim() != 2)
        fail<InvalidArgument>(
            "a sparse matrix is multiplied with arrays of one or two axes, not of "
            "shape {}",
            toString(x.shape()));
    requireInner(a, x.shape());
    const DType dtype = commonOf(a.data(), x);
    Shape shape{a.rows()};
    if (x.ndim() == 2)
        shape.push_back(x.shape()[1]);
    if (shape.product() == 0 || a.nonzeros() == 0)
        return zeros(shape, dtype, &a.manager());
    SparseOptions options;
    options.method = method;
    if (method == SparseMethod::eAutomatic && shape.product() == a.rows())
        options.longestRow = static_cast<uint64_t>(a.longestRow());
    const auto memoryOf = [](const Array& given) {
        return arrays::contiguous(arrays::stateOf(given).evaluated());
    };
    const arrays::View offsets = memoryOf(a.offsets());
    const arrays::View indices = memoryOf(a.indices());
    const arrays::View values = memoryOf(a.data().astype(dtype));
    const arrays::View dense = memoryOf(x.astype(dtype));
    const auto home = values.storage->home();
    arrays::View out = arrays::View::blank(home, shape, dtype);
    const SparseExtents extents{static_cast<uint64_t>(a.rows()), static_cast<uint64_t>(a.columns()),
                                static_cast<uint64_t>(shape.product() / a.rows())};
    home->queue()->launch(std::make_shared<OpSparseMatMul>(
        arrays::rangeOf(offsets), arrays::rangeOf(indices), arrays::rangeOf(values),
        arrays::rangeOf(dense), arrays::rangeOf(out), extents, options));
    return arrays::arrayOf(std::move(out));
}

Csr matmul(const Csr& a, const Csr& b) {
    requireInner(a, b.shape());
    const Shape shape{a.rows(), b.columns()};
    const DType dtype = commonOf(a.data(), b.data());
    const Array none = zeros({0}, dtype, &a.manager());
    if (a.nonzeros() == 0 || b.nonzeros() == 0)
        return compressedKnown(none, none, none, shape);
    // Each element of A meets a row of B. Products are numbered in the order of the elements of A.
    const Array begins = gathered(b.offsets(), a.indices()).astype(DType::eInt64);
    const Array counts =
        gathered(b.offsets(), a.indices() + Operand(a.indices().dtype(), 1)) - begins;
    const Array ends = cumsum(counts);
    const auto products = ends(-1).item<int64_t>();
    if (products == 0)
        return compressedKnown(none, none, none, shape);
    const Array numbers = numbered(products, DType::eInt64, a.manager());
    const Array left = searchsorted(ends, numbers, SearchSide::eRight);
    const Array right = (numbers - gathered(ends - counts - begins, left)).copy();
    const Array data = multiply(gathered(a.data(), left), gathered(b.data(), right));
    return compressedKnown(data.astype(dtype), gathered(rowsOf(a), left),
                           gathered(b.indices(), right), shape);
}

Csr add(const Csr& a, const Csr& b) {
    if (!(a.shape() == b.shape()))
        fail<InvalidArgument>("sparse matrices of the shapes {} and {} cannot be added",
                              toString(a.shape()), toString(b.shape()));
    return compressedKnown(concat({a.data(), b.data()}), concat({rowsOf(a), rowsOf(b)}),
                           concat({a.indices(), b.indices()}), a.shape());
}

Csr multiply(const Csr& a, const Array& dense) {
    const Array whole = dense.broadcastTo(a.shape());
    if (a.nonzeros() == 0)
        return a.withData(a.data().astype(commonOf(a.data(), dense)));
    const arrays::View view = arrays::stateOf(whole).evaluated();
    const Array base = whole.strided(view.offset, {a.nonzeros()}, {0}, false);
    const Array factors =
        arrays::take(base, {rowsOf(a), a.indices()},
                     {{view.shape[0], view.strides[0]}, {view.shape[1], view.strides[1]}});
    return a.withData(multiply(a.data(), factors));
}

} // namespace kp::sparse
