// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>

namespace kp {

// Decompositions of matrices of real numbers, the last two axes of arrays; other axes are stacks of
// them. Integer matrices are converted to defaultFloat(), and float16 matrices to float32. Nothing
// waits for the device. The primitives OpQr, OpEigh and OpSvd state the accuracy of results. All
// functions throw InvalidArgument for complex numbers and for arrays of fewer than two axes.

/// Orthonormal columns Q and upper triangular R.
struct QrFactors {
    Array q;
    Array r;
};
/// Returns factors of a = Q R.
/// @param complete  Q is square; else it has as many columns as the smaller extent of a matrix
KOMPUTE_API QrFactors qr(const Array& a, bool complete = false);
/// Returns R alone, with as many rows as the smaller extent of a matrix.
KOMPUTE_API Array qrTriangle(const Array& a);

/// Eigenvalues in ascending order, and an eigenvector in each column.
struct EigenDecomposition {
    Array values;
    Array vectors;
};
/// Returns the eigenvalues and eigenvectors of symmetric matrices. A matrix with an infinity or NaN
/// gives NaN.
/// @param upper  the upper triangles are read, else the lower ones
/// @throws InvalidArgument if matrices are not square
KOMPUTE_API EigenDecomposition eigh(const Array& a, bool upper = false);
KOMPUTE_API Array eigvalsh(const Array& a, bool upper = false);

/// Orthonormal columns of U, singular values in descending order, orthonormal rows of V^T.
struct SingularValueDecomposition {
    Array u;
    Array s;
    Array vh;
};
/// Returns the factors of a = U diag(s) V^T. A matrix with an infinity or NaN gives NaN.
/// @param full  U and V^T are square; else they have as many columns and rows as there are singular
///              values
KOMPUTE_API SingularValueDecomposition svd(const Array& a, bool full = true);
KOMPUTE_API Array svdvals(const Array& a);

} // namespace kp
