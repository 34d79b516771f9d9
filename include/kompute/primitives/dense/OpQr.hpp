// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/dense/RectangularMatrices.hpp>

namespace kp {

struct QrOptions {
    /// Q is rows x rows, and R rows x columns; else, the smaller extent of A replaces the rows of R
    /// and the columns of Q.
    bool complete = false;
};

/// Factors matrices: A = Q R, with orthonormal columns of Q, and R upper triangular.
///
///     sequence->record<kp::OpQr>(a, q, r, kp::RectangularMatrices{1024, 256});
///
/// Signs are LAPACK's: elements of the diagonal of R may be negative. Infinities and NaNs propagate
/// through the arithmetic.
///
/// **Rounding.** With u = 2^-24 (eDouble: 2^-53), the columns of Q R - A are at most 8 rows u times
/// as long as the columns of A, and elements of Q^T Q - 1 are below 8 rows u. Equal input gives
/// equal bits on one device and driver.
///
/// **Method.** Householder reflections. A work group factors a matrix that fits shared memory. Of
/// larger ones, panels of 32 columns are reflected column by column, and the rest by products of
/// OpMatMul with the compact WY form of a panel's reflections (Schreiber and Van Loan, 1989).
class KOMPUTE_API OpQr : public Primitive {
public:
    /// @param a  the matrices, of eFloat or eDouble
    /// @param q  of the same type; or none
    /// @param r  of the same type
    /// @throws InvalidArgument if types or numbers of elements do not match, or ranges overlap;
    ///         Unsupported if a matrix is larger than the device can bind at a time; OutOfMemory
    OpQr(const TensorRange& a, const TensorRange& q, const TensorRange& r,
         const RectangularMatrices& matrices, const QrOptions& options = {});
    ~OpQr() override;
};

} // namespace kp
