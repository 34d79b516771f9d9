// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device/dense/DenseSupport.hpp"

namespace kp::test {

using Matrix = DenseMatrix;

/// Returns the largest magnitude, infinity if there are NaNs.
inline double largestOf(const Matrix& matrix) {
    double found = 0;
    for (const double value : matrix.values)
        found = std::max(found, std::isnan(value) ? std::numeric_limits<double>::infinity()
                                                  : std::abs(value));
    return found;
}

/// Returns the root of the sum of squares.
inline double lengthOf(const Matrix& matrix) {
    double sum = 0;
    for (const double value : matrix.values)
        sum += value * value;
    return std::sqrt(sum);
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
    return a.times(b);
}

inline Matrix operator-(Matrix a, const Matrix& b) {
    for (size_t i = 0; i < a.values.size(); ++i)
        a.values[i] -= b.values[i];
    return a;
}

inline Matrix identity(size_t size) {
    Matrix made(size, size);
    for (size_t i = 0; i < size; ++i)
        made.at(i, i) = 1;
    return made;
}

inline Matrix randomMatrix(size_t rows, size_t columns, uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Matrix made(rows, columns);
    for (double& value : made.values)
        value = normal(random);
    return made;
}

/// A matrix with orthonormal columns.
inline Matrix randomBasis(size_t rows, size_t columns, uint64_t seed = 1) {
    Matrix made = randomMatrix(rows, columns, seed);
    for (size_t column = 0; column < columns; ++column)
        for (int pass = 0; pass < 2; ++pass) {
            for (size_t earlier = 0; earlier < column; ++earlier) {
                double product = 0;
                for (size_t row = 0; row < rows; ++row)
                    product += made.at(row, column) * made.at(row, earlier);
                for (size_t row = 0; row < rows; ++row)
                    made.at(row, column) -= product * made.at(row, earlier);
            }
            double sum = 0;
            for (size_t row = 0; row < rows; ++row)
                sum += made.at(row, column) * made.at(row, column);
            for (size_t row = 0; row < rows; ++row)
                made.at(row, column) /= std::sqrt(sum);
        }
    return made;
}

/// Kinds of matrices that algorithms find difficult.
inline const std::vector<std::string> kDecomposedKinds = {
    "random", "graded", "of low rank", "repeated", "zero", "identity", "Hilbert", "ones"};

/// u diag(s) v^T with s of a kind, or a matrix of its own. With u = v it is symmetric.
inline Matrix matrixOfKind(const std::string& kind, const Matrix& u, const Matrix& v) {
    const size_t count = u.columns;
    Matrix made(u.rows, v.rows);
    for (size_t row = 0; row < made.rows; ++row)
        for (size_t column = 0; column < made.columns; ++column) {
            double& value = made.at(row, column);
            if (kind == "identity")
                value = row == column ? 1 : 0;
            else if (kind == "Hilbert")
                value = 1 / static_cast<double>(row + column + 1);
            else if (kind == "ones")
                value = 1;
        }
    if (kind == "zero" || kind == "identity" || kind == "Hilbert" || kind == "ones")
        return made;
    Matrix scaled = u;
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (size_t i = 0; i < count; ++i) {
        double factor = normal(random) * std::sqrt(static_cast<double>(count));
        if (kind == "graded")
            factor = std::pow(10.0, -8.0 * static_cast<double>(i) / static_cast<double>(count));
        else if (kind == "of low rank")
            factor = i < (count + 3) / 4 ? 1.0 + static_cast<double>(i) : 0.0;
        else if (kind == "repeated")
            factor = i % 2 == 0 ? 3.0 : i % 4 == 1 ? -3.0 : 1.0;
        for (size_t row = 0; row < u.rows; ++row)
            scaled.at(row, i) *= factor;
    }
    return scaled * v.transposed();
}

template <typename T>
std::vector<T> valuesOf(const Matrix& matrix) {
    return {matrix.values.begin(), matrix.values.end()};
}

/// Half a unit in the last place of 1.
template <typename T>
constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2;

/// Returns the largest element of V^T V - 1.
inline double lackOfOrthogonality(const Matrix& v) {
    return largestOf(v.transposed() * v - identity(v.columns));
}

} // namespace kp::test
