// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// How OpSparseMatMul goes through the rows.
enum class SparseMethod {
    eAutomatic, ///< by the lengths of rows
    eRows,      ///< each row by one or several invocations
    eBalanced   ///< equal shares of rows and elements for all invocations
};

/// A product of a sparse matrix, rows x inner, and a matrix in C order, inner x columns.
struct SparseExtents {
    uint64_t rows = 0;
    uint64_t inner = 0;
    uint64_t columns = 1; ///< 1: a vector
};

struct SparseOptions {
    SparseMethod method = SparseMethod::eAutomatic;
    /// The most elements of a row, which decides about eAutomatic: rows of very different lengths
    /// are balanced. 0: unknown, so they are balanced.
    uint64_t longestRow = 0;
};

/// Multiplies a sparse matrix in compressed rows (CSR) with a vector or a matrix.
///
///     sequence->record<kp::OpSparseMatMul>(offsets, indices, values, x, y,
///                                          kp::SparseExtents{rows, columns});
///
/// **The matrix.** Row i has the elements from number offsets[i] up to, but without, offsets[i +
/// 1]: `values`, and their columns `indices`, in any order. Elements of one place add up.
///
/// **Types.** Values, X and Y have the same type: eFloat, eDouble, or complex numbers, which are
/// eCustom of 8 or 16 bytes. Offsets and indices are eUnsignedInt, eInt, eUnsignedLong or eLong,
/// each of a type of its own.
///
/// **Wrong offsets and indices.** The device cannot throw. An element with an index out of range
/// counts as 0, and an offset beyond the elements as their number. Offsets that do not ascend give
/// rows that are wrong; nothing is read or written out of bounds.
///
/// **Rounding.** The order of additions depends on the sizes and the offsets alone, so equal input
/// gives equal bits on one device and driver.
///
/// **Method.** Rows of similar lengths are read by 1 to 32 neighbouring invocations each.
/// Otherwise, and for matrices X, invocations take equal shares of the ends of rows and of the
/// elements, and sums of rows that several work groups share are added by a second dispatch
/// (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", 2016).
class KOMPUTE_API OpSparseMatMul : public Primitive {
public:
    /// @param offsets  rows + 1 elements
    /// @param indices  any number of elements
    /// @param values   as many
    /// @param x        inner * columns elements
    /// @param y        rows * columns elements; must not overlap with the others
    /// @throws InvalidArgument if types or sizes do not match, or for extents of 2^31 and more;
    ///         Unsupported if the device lacks a type, or cannot bind one of the tensors as a
    ///         whole; OutOfMemory
    OpSparseMatMul(const TensorRange& offsets, const TensorRange& indices,
                   const TensorRange& values, const TensorRange& x, const TensorRange& y,
                   const SparseExtents& extents, const SparseOptions& options = {});
    ~OpSparseMatMul() override;
};

} // namespace kp
