// SPDX-License-Identifier: Apache-2.0
#include "arrays/functions/Matrices.hpp"

#include <kompute/Error.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "base/Text.hpp"

namespace kp::arrays {

Shape stackOf(const Array& x) {
    return Shape(x.shape().data(), x.ndim() - 2);
}

DType factoredType(const Array& a, std::string_view function) {
    if (a.dtype() >= DType::eComplex64)
        fail<InvalidArgument>("{}() takes matrices of real numbers, not of {}", function,
                              toString(a.dtype()));
    if (a.dtype() == DType::eFloat16)
        return DType::eFloat32;
    const bool isReal = a.dtype() == DType::eFloat32 || a.dtype() == DType::eFloat64;
    return isReal ? a.dtype() : defaultFloat(a.manager());
}

void requireMatrices(const Array& a, std::string_view function) {
    if (a.ndim() < 2)
        fail<InvalidArgument>("{}() takes matrices, of at least two axes, not the shape {}",
                              function, toString(a.shape()));
}

void requireSquare(const Array& a, std::string_view function) {
    requireMatrices(a, function);
    if (a.shape().back() != a.shape()[a.ndim() - 2])
        fail<InvalidArgument>("{}() takes square matrices, not the shape {}", function,
                              toString(a.shape()));
}

} // namespace kp::arrays
