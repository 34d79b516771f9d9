// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Preconditioners.hpp>

#include <algorithm>

#include <kompute/Error.hpp>
#include <kompute/arrays/LinearAlgebra.hpp>
#include <kompute/sparse/Arithmetic.hpp>
#include <kompute/sparse/Conversions.hpp>
#include <kompute/sparse/Triangle.hpp>

#include "base/Text.hpp"
#include "sparse/Elements.hpp"
#include "sparse/IncompleteCholesky.hpp"
#include "sparse/LibraryMap.hpp"

namespace kp::sparse {
namespace {

void requireSquare(const Csr& a, const char* name) {
    if (a.rows() != a.columns())
        fail<InvalidArgument>("{} takes a square matrix, not one of shape {}", name,
                              toString(a.shape()));
}

} // namespace

LinearMap mapOf(const Csr& a) {
    return LibraryMap{[a](const Array& x) { return matmul(a, x); }};
}

LinearMap mapOf(const Array& dense) {
    if (dense.ndim() != 2)
        fail<InvalidArgument>("a linear map is made of a matrix of two axes, not of an array of "
                              "shape {}",
                              toString(dense.shape()));
    return LibraryMap{[dense](const Array& x) { return kp::matmul(dense, x); }};
}

LinearMap jacobi(const Csr& a) {
    requireSquare(a, "jacobi()");
    const Array main = diagonal(a);
    const Array factors = reciprocal(where(equal(main, 0), 1, main)).copy().evaluate();
    return LibraryMap{[factors](const Array& x) { return factors * x; }};
}

LinearMap blockJacobi(const Csr& a, int64_t size) {
    requireSquare(a, "blockJacobi()");
    if (size < 1)
        fail<InvalidArgument>("blockJacobi() takes blocks of at least 1 row, not {}", size);
    if (a.dtype() >= DType::eComplex64)
        fail<InvalidArgument>("blockJacobi() takes real matrices, not of {}; use jacobi()",
                              toString(a.dtype()));
    const int64_t rows = a.rows();
    if (rows == 0)
        return LibraryMap{[](const Array& x) { return x; }};
    const int64_t extent = std::min(size, rows);
    const int64_t count = (rows + extent - 1) / extent;
    const Csr of = canonical(a);
    const Array row = rowsOf(of).astype(DType::eInt64);
    const Array column = of.indices().astype(DType::eInt64);
    const Array isInside = equal(floorDivide(row, extent), floorDivide(column, extent));
    const Array places = row * extent + remainder(column, extent);
    const Array dense = zeros({count * extent * extent}, a.dtype(), &a.manager()).copy();
    scatter(dense, compress(isInside, of.data()), compress(isInside, places));
    // The rows that complete the last block are the identity's.
    const Array more = arange(rows, count * extent, 1, DType::eInt64, &a.manager());
    scatter(dense, ones(more.shape(), a.dtype(), &a.manager()),
            more * extent + remainder(more, extent));
    const arrays::Factored found = arrays::inverseOf(dense.reshape({count, extent, extent}));
    const Array isSingular = notEqual(found.info, 0);
    if (any(isSingular).item<bool>()) {
        const int64_t block = argmax(isSingular).item<int64_t>();
        fail<InvalidArgument>("blockJacobi(): the block of the rows from {} to {} is singular; use "
                              "another size, or jacobi()",
                              block * extent, std::min((block + 1) * extent, rows) - 1);
    }
    const Array inverses = found.values.copy().evaluate();
    return LibraryMap{[inverses, rows](const Array& x) {
        const Shape& shape = inverses.shape();
        const int64_t left = shape[0] * shape[1] - rows;
        const Array whole = left == 0 ? x : concat({x, zeros({left}, x.dtype(), &x.manager())});
        const Array made = sum(inverses * whole.reshape({shape[0], 1, shape[1]}), {2});
        return made.reshape({-1})(Slice(0, rows));
    }};
}

LinearMap incompleteCholesky(const Csr& a, double shift) {
    requireSquare(a, "incompleteCholesky()");
    if (!(shift >= 0))
        fail<InvalidArgument>("incompleteCholesky() takes a shift of at least 0, not {}", shift);
    if (a.rows() == 0)
        return LibraryMap{[](const Array& x) { return x; }};
    const Csr factor = incompleteFactor(canonical(a), shift);
    const Csr turned = transposed(factor);
    const bool isComplex = a.dtype() >= DType::eComplex64;
    const Triangle lower(factor);
    const Triangle upper(isComplex ? turned.withData(conj(turned.data())) : turned, {true, false});
    const int64_t dispatches = 2 * (lower.levels() + upper.levels());
    return LibraryMap{[lower, upper](const Array& x) { return upper.solve(lower.solve(x)); },
                      dispatches};
}

} // namespace kp::sparse
