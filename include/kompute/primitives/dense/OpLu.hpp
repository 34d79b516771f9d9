// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

struct LuOptions {
    uint64_t batches = 1; ///< the number of matrices, one after the other without gaps
    /// A and the factors are stored transposed, column by column as in Fortran, which saves two
    /// passes over them.
    bool transposed = false;
};

/// Factors matrices with partial pivoting: P A = L U, with L lower triangular with a diagonal of 1,
/// and U upper triangular.
///
///     sequence->record<kp::OpLu>(a, lu, pivots, info, 256, 256);
///
/// L without its diagonal and U replace A in `lu`. Step i exchanged row i with row
/// pivots[i], counted from 0, in which the column had its largest magnitude: the first of equal
/// ones. `info` is 0, or the first step, counted from 1, whose pivot is 0: then U is singular. The
/// factors are still correct. Nothing waits: read `info` when you need it.
///
/// **Rounding.** With u = 2^-24 (eDouble: 2^-53), the elements of L U - P A are at most (min(rows,
/// columns) + 3) u times the elements of |L| |U|. Equal input gives equal bits on one device and
/// driver.
///
/// **Method.** One work group factors up to 32 columns at a time in registers. The other columns
/// are then finished by OpTriangularSolve, and updated by OpMatMul.
class KOMPUTE_API OpLu : public Primitive {
public:
    /// @param a       the matrices, rows x columns, of eFloat or eDouble; both extents are below
    ///                2^31
    /// @param lu      of the same type and number of elements. May be A, but not a part of it.
    /// @param pivots  min(rows, columns) elements of eInt or eUnsignedInt per matrix
    /// @param info    one element of eInt or eUnsignedInt per matrix
    /// @throws InvalidArgument if types or numbers of elements do not match; Unsupported if a
    ///         matrix is larger than the device can bind at a time; OutOfMemory
    OpLu(const TensorRange& a, const TensorRange& lu, const TensorRange& pivots,
         const TensorRange& info, uint64_t rows, uint64_t columns, const LuOptions& options = {});
    ~OpLu() override;
};

} // namespace kp
