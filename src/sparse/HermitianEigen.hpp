// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace kp::sparse {

/// The eigenvalues of a small Hermitian matrix, in ascending order. Eigenvector i is the size
/// elements of `vectors` from i * size on.
struct HermitianEigen {
    std::vector<double> values;
    std::vector<std::complex<double>> vectors;
};

/// Computes them on the host: Householder's reduction to a tridiagonal matrix, and the implicit QL
/// method (Golub and Van Loan, "Matrix Computations", 4th ed., 8.3).
/// @param a  size rows, of finite numbers
HermitianEigen hermitianEigen(std::vector<std::complex<double>> a, size_t size);

} // namespace kp::sparse
