// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Decompositions.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/Manipulation.hpp>
#include <kompute/primitives/dense/OpQr.hpp>
#include <kompute/primitives/spectral/OpEigh.hpp>
#include <kompute/primitives/spectral/OpSvd.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/functions/Matrices.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::rangeOf;
using arrays::stateOf;
using arrays::View;

/// Matrices to decompose, in C order without gaps.
class Decomposed {
public:
    Decomposed(const Array& a, std::string_view function) {
        arrays::requireMatrices(a, function);
        const DType dtype = arrays::factoredType(a, function);
        mStack = arrays::stackOf(a);
        rows = a.shape()[a.ndim() - 2];
        columns = a.shape().back();
        mView = contiguous(stateOf(a.astype(dtype)).evaluated());
    }

    int64_t smaller() const { return std::min(rows, columns); }
    bool isEmpty() const { return mView.shape.product() == 0; }
    RectangularMatrices extents() const {
        return {static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                static_cast<uint64_t>(mStack.product())};
    }
    TensorRange range() const { return rangeOf(mView); }
    /// Returns memory for matrices or vectors as results.
    View blank(const Shape& axes) const {
        return View::blank(mView.storage->home(), shapeOf(axes), mView.dtype());
    }
    /// Returns results of matrices without elements: the identity of any extents.
    Array identities(int64_t height, int64_t width) const {
        Manager* const manager = &mView.storage->home()->manager();
        return eye(height, width, 0, mView.dtype(), manager)
            .broadcastTo(shapeOf({height, width}))
            .copy();
    }
    Array none(const Shape& axes) const {
        return zeros(shapeOf(axes), mView.dtype(), &mView.storage->home()->manager());
    }
    void launch(std::shared_ptr<OpBase> operation) const {
        mView.storage->home()->launch(std::move(operation));
    }

    int64_t rows = 0;
    int64_t columns = 0;

private:
    Shape shapeOf(const Shape& axes) const {
        Shape shape = mStack;
        shape.append(axes);
        return shape;
    }

    View mView;
    Shape mStack;
};

Decomposed symmetric(const Array& a, std::string_view function) {
    Decomposed given(a, function);
    arrays::requireSquare(a, function);
    return given;
}

EighOptions triangle(bool upper) {
    EighOptions options;
    options.upper = upper;
    return options;
}

SquareMatrices squaresOf(const Decomposed& given) {
    return {given.extents().rows, given.extents().batches};
}

} // namespace

QrFactors qr(const Array& a, bool complete) {
    const Decomposed given(a, "qr");
    const int64_t inner = complete ? given.rows : given.smaller();
    if (given.isEmpty())
        return {given.identities(given.rows, inner), given.none({inner, given.columns})};
    View q = given.blank({given.rows, inner});
    View r = given.blank({inner, given.columns});
    QrOptions options;
    options.complete = complete;
    given.launch(
        std::make_shared<OpQr>(given.range(), rangeOf(q), rangeOf(r), given.extents(), options));
    return {arrayOf(std::move(q)), arrayOf(std::move(r))};
}

Array qrTriangle(const Array& a) {
    const Decomposed given(a, "qrTriangle");
    if (given.isEmpty())
        return given.none({given.smaller(), given.columns});
    View r = given.blank({given.smaller(), given.columns});
    given.launch(std::make_shared<OpQr>(given.range(), TensorRange(), rangeOf(r), given.extents()));
    return arrayOf(std::move(r));
}

EigenDecomposition eigh(const Array& a, bool upper) {
    const Decomposed given = symmetric(a, "eigh");
    if (given.isEmpty())
        return {given.none({given.rows}), given.none({given.rows, given.rows})};
    View values = given.blank({given.rows});
    View vectors = given.blank({given.rows, given.rows});
    given.launch(std::make_shared<OpEigh>(given.range(), rangeOf(values), rangeOf(vectors),
                                          squaresOf(given), triangle(upper)));
    return {arrayOf(std::move(values)), arrayOf(std::move(vectors))};
}

Array eigvalsh(const Array& a, bool upper) {
    const Decomposed given = symmetric(a, "eigvalsh");
    if (given.isEmpty())
        return given.none({given.rows});
    View values = given.blank({given.rows});
    given.launch(std::make_shared<OpEigh>(given.range(), rangeOf(values), TensorRange(),
                                          squaresOf(given), triangle(upper)));
    return arrayOf(std::move(values));
}

SingularValueDecomposition svd(const Array& a, bool full) {
    const Decomposed given(a, "svd");
    const int64_t count = given.smaller();
    const int64_t left = full ? given.rows : count;
    const int64_t right = full ? given.columns : count;
    if (given.isEmpty())
        return {given.identities(given.rows, left), given.none({count}),
                given.identities(right, given.columns)};
    View u = given.blank({given.rows, left});
    View s = given.blank({count});
    View vh = given.blank({right, given.columns});
    SvdOptions options;
    options.full = full;
    given.launch(std::make_shared<OpSvd>(given.range(), rangeOf(u), rangeOf(s), rangeOf(vh),
                                         given.extents(), options));
    return {arrayOf(std::move(u)), arrayOf(std::move(s)), arrayOf(std::move(vh))};
}

Array svdvals(const Array& a) {
    const Decomposed given(a, "svdvals");
    if (given.isEmpty())
        return given.none({given.smaller()});
    View s = given.blank({given.smaller()});
    given.launch(std::make_shared<OpSvd>(given.range(), TensorRange(), rangeOf(s), TensorRange(),
                                         given.extents()));
    return arrayOf(std::move(s));
}

} // namespace kp
