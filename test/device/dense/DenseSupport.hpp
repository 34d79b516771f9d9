// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "device/primitives/PrimitiveSupport.hpp"

namespace kp::test {

/// Sizes around the sizes of blocks and panels.
inline const std::vector<size_t> kMatrixSizes = {1,  2,  15, 16,  17,  31, 33,
                                                 63, 64, 65, 100, 129, 257};

/// A matrix in C order, computed with in double.
struct DenseMatrix {
    size_t rows = 0;
    size_t columns = 0;
    std::vector<double> values;

    DenseMatrix(size_t rowCount, size_t columnCount)
        : rows(rowCount), columns(columnCount), values(rowCount * columnCount) {}
    template <typename T>
    DenseMatrix(size_t rowCount, size_t columnCount, const T* from)
        : rows(rowCount), columns(columnCount), values(from, from + rowCount * columnCount) {}

    double& at(size_t row, size_t column) { return values[row * columns + column]; }
    double at(size_t row, size_t column) const { return values[row * columns + column]; }

    DenseMatrix transposed() const {
        DenseMatrix made(columns, rows);
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = 0; j < columns; ++j)
                made.at(j, i) = at(i, j);
        return made;
    }
    DenseMatrix times(const DenseMatrix& other) const {
        DenseMatrix made(rows, other.columns);
        for (size_t i = 0; i < rows; ++i)
            for (size_t k = 0; k < columns; ++k)
                for (size_t j = 0; j < other.columns; ++j)
                    made.at(i, j) += at(i, k) * other.at(k, j);
        return made;
    }
    /// Returns the matrix of magnitudes.
    DenseMatrix magnitudes() const {
        DenseMatrix made = *this;
        for (double& value : made.values)
            value = std::abs(value);
        return made;
    }
};

/// Returns the largest |found - expected| in units of the type's epsilon times `scale`.
template <typename T>
double largestError(const DenseMatrix& found, const DenseMatrix& expected,
                    const DenseMatrix& scale) {
    double largest = 0;
    for (size_t i = 0; i < found.values.size(); ++i) {
        const double error = std::abs(found.values[i] - expected.values[i]);
        const double unit = std::numeric_limits<T>::epsilon() * scale.values[i];
        if (std::isnan(error) || (error > 0 && unit == 0))
            return std::numeric_limits<double>::infinity();
        largest = std::max(largest, error > 0 ? error / unit : 0);
    }
    return largest;
}

enum class MatrixKind { eRandom, eGraded, eHilbert, ePermuted };
inline constexpr MatrixKind kMatrixKinds[] = {MatrixKind::eRandom, MatrixKind::eGraded,
                                              MatrixKind::eHilbert, MatrixKind::ePermuted};

/// Returns matrices of a kind, one after the other.
template <typename T>
std::vector<T> matricesOfKind(MatrixKind kind, size_t size, size_t batches) {
    std::vector<T> values = randomValues<T>(size * size * batches, size + 7 * batches);
    for (size_t e = 0; e < values.size(); ++e) {
        const size_t i = e / size % size;
        const size_t j = e % size;
        const double x = static_cast<double>(values[e]);
        const double step = static_cast<double>(i) / static_cast<double>(size);
        if (kind == MatrixKind::eGraded)
            values[e] = static_cast<T>(x * std::pow(10.0, -8 * step));
        else if (kind == MatrixKind::eHilbert)
            values[e] = static_cast<T>(1 / static_cast<double>(i + j + 1) + (i == j ? 1e-3 : 0));
        else if (kind == MatrixKind::ePermuted)
            values[e] = static_cast<T>((i * 7 + 3) % size == j ? 2 + x : x * 1e-3);
    }
    return values;
}

} // namespace kp::test
