// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Comparing.hpp>

#include <kompute/arrays/Promotion.hpp>

#include "arrays/ArrayState.hpp"

namespace kp {
namespace {

Array asFloating(const Array& x) {
    return x.dtype() < DType::eFloat16 ? x.astype(defaultFloat(x.manager())) : x;
}

} // namespace

Array isclose(const Array& x, const Operand& given, const Tolerance& tolerance) {
    const Array first = asFloating(x);
    const Array y =
        given.isArray() ? asFloating(given.array()) : full({}, given, first.dtype(), &x.manager());
    const Array within = abs(y) * tolerance.relative + tolerance.absolute;
    const Array near = logicalAnd(lessEqual(abs(first - y), within), isfinite(y));
    const Array found = logicalOr(near, equal(first, y));
    return tolerance.equalNan ? logicalOr(found, logicalAnd(isnan(first), isnan(y))) : found;
}

bool allclose(const Array& x, const Operand& y, const Tolerance& tolerance) {
    return all(isclose(x, y, tolerance)).item<bool>();
}

bool arrayEqual(const Array& x, const Array& y, bool equalNan) {
    if (x.shape() != y.shape())
        return false;
    const Array same = equal(x, y);
    return all(equalNan ? logicalOr(same, logicalAnd(isnan(x), isnan(y))) : same).item<bool>();
}

} // namespace kp
