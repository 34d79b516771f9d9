// SPDX-License-Identifier: Apache-2.0
#include "sparse/IncompleteCholesky.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::sparse {
namespace {

/// A lower triangle of double precision, by rows that end with their diagonal.
template <typename Number>
struct Factor {
    std::vector<int64_t> offsets{0};
    std::vector<int64_t> columns;
    std::vector<Number> values;
};

double squareOf(double x) {
    return x * x;
}
double squareOf(const std::complex<double>& x) {
    return std::norm(x);
}
double conjugateOf(double x) {
    return x;
}
std::complex<double> conjugateOf(const std::complex<double>& x) {
    return std::conj(x);
}

/// Returns the sum of products of the elements that two rows have before a column.
/// @param begin  the first element of the last row, which is not complete
template <typename Number>
Number productOf(const Factor<Number>& factor, int64_t row, size_t begin) {
    auto one = static_cast<size_t>(factor.offsets[static_cast<size_t>(row)]);
    const auto end = static_cast<size_t>(factor.offsets[static_cast<size_t>(row) + 1]) - 1;
    size_t other = begin;
    Number sum{};
    while (one < end && other < factor.columns.size()) {
        if (factor.columns[one] == factor.columns[other])
            sum += factor.values[other++] * conjugateOf(factor.values[one++]);
        else if (factor.columns[one] < factor.columns[other])
            ++one;
        else
            ++other;
    }
    return sum;
}

template <typename Element>
std::vector<Element> elementsOf(const Array& data) {
    std::vector<Element> values(static_cast<size_t>(data.size()));
    if (!values.empty())
        data.read(values.data());
    return values;
}

template <typename Number, typename Element>
Csr factored(const Csr& a, double shift) {
    const std::vector<Element> data = elementsOf<Element>(a.data());
    const auto offsets = a.offsets().astype(DType::eInt64).vector<int64_t>();
    const auto columns = a.indices().astype(DType::eInt64).vector<int64_t>();
    Factor<Number> factor;
    for (int64_t row = 0; row < a.rows(); ++row) {
        const size_t begin = factor.columns.size();
        double pivot = 0;
        for (int64_t at = offsets[static_cast<size_t>(row)];
             at < offsets[static_cast<size_t>(row) + 1]; ++at) {
            const int64_t column = columns[static_cast<size_t>(at)];
            const auto value = static_cast<Number>(data[static_cast<size_t>(at)]);
            if (column == row)
                pivot = std::real(value) * (1 + shift);
            if (column >= row)
                break;
            const auto diagonal =
                static_cast<size_t>(factor.offsets[static_cast<size_t>(column) + 1] - 1);
            const Number left = value - productOf(factor, column, begin);
            factor.columns.push_back(column);
            factor.values.push_back(left / std::real(factor.values[diagonal]));
        }
        for (size_t at = begin; at < factor.values.size(); ++at)
            pivot -= squareOf(factor.values[at]);
        if (!(pivot > 0 && std::isfinite(pivot)))
            fail<InvalidArgument>("the matrix has no incomplete Cholesky factor: the pivot of row "
                                  "{} is {}, not positive; raise the shift, which is {}",
                                  row, pivot, shift);
        factor.columns.push_back(row);
        factor.values.push_back(Number(std::sqrt(pivot)));
        factor.offsets.push_back(static_cast<int64_t>(factor.columns.size()));
    }
    std::vector<Element> values;
    values.reserve(factor.values.size());
    for (const Number& value : factor.values)
        values.push_back(static_cast<Element>(value));
    Manager& manager = a.manager();
    const auto count = static_cast<int64_t>(values.size());
    const DType type = indexType(a.shape(), count);
    const auto uploaded = [&](const std::vector<int64_t>& numbers) {
        return Array::of(numbers, &manager).astype(type).copy();
    };
    return Csr::trusted(Array::ofBytes(values.data(), values.size(), a.dtype(), {count}, &manager),
                        uploaded(factor.columns), uploaded(factor.offsets), a.shape());
}

} // namespace

Csr incompleteFactor(const Csr& a, double shift) {
    switch (a.dtype()) {
    case DType::eFloat32:
        return factored<double, float>(a, shift);
    case DType::eFloat64:
        return factored<double, double>(a, shift);
    case DType::eComplex64:
        return factored<std::complex<double>, std::complex<float>>(a, shift);
    default:
        return factored<std::complex<double>, std::complex<double>>(a, shift);
    }
}

} // namespace kp::sparse
