// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sparse/HermitianEigen.hpp"

namespace kp::sparse {
namespace {

using Complex = std::complex<double>;

/// Expects that a = sum of value times vector times the vector's adjoint, of orthonormal vectors.
void expectDecomposed(const std::vector<Complex>& a, size_t n) {
    const HermitianEigen found = hermitianEigen(a, n);
    ASSERT_EQ(found.values.size(), n);
    EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
    double largest = 1;
    for (const Complex& x : a)
        largest = std::max(largest, std::abs(x));
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            Complex sum = 0;
            Complex product = 0;
            for (size_t k = 0; k < n; ++k) {
                const Complex* const vector = &found.vectors[k * n];
                sum += found.values[k] * vector[i] * std::conj(vector[j]);
                product += std::conj(found.vectors[i * n + k]) * found.vectors[j * n + k];
            }
            EXPECT_NEAR(std::abs(sum - a[i * n + j]), 0, 1e-13 * largest * static_cast<double>(n));
            EXPECT_NEAR(std::abs(product - (i == j ? 1.0 : 0.0)), 0,
                        1e-13 * static_cast<double>(n));
        }
}

TEST(HermitianEigen, DecomposesRandomMatrices) {
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    for (const bool isComplex : {false, true})
        for (const size_t n : {1, 2, 3, 4, 7, 20, 65}) {
            SCOPED_TRACE(n);
            std::vector<Complex> a(n * n);
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j <= i; ++j) {
                    a[i * n + j] = {normal(generator),
                                    isComplex && i != j ? normal(generator) : 0.0};
                    a[j * n + i] = std::conj(a[i * n + j]);
                }
            expectDecomposed(a, n);
        }
}

TEST(HermitianEigen, DecomposesSpecialMatrices) {
    const size_t n = 9;
    std::vector<Complex> zero(n * n);
    expectDecomposed(zero, n);
    std::vector<Complex> arrow(n * n); // what a restart leaves
    std::vector<Complex> ones(n * n, 1);
    std::vector<Complex> wide(n * n); // of very different magnitudes
    for (size_t i = 0; i < n; ++i) {
        arrow[i * n + i] = wide[i * n + i] = std::pow(10.0, 2.0 * static_cast<double>(i) - 8);
        if (i < 5)
            arrow[i * n + 5] = arrow[5 * n + i] = 0.25;
        if (i > 5)
            arrow[i * n + i - 1] = arrow[(i - 1) * n + i] = 0.5;
    }
    for (const auto& each : {arrow, ones, wide})
        expectDecomposed(each, n);
}

} // namespace
} // namespace kp::sparse
