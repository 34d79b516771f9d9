// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Extents of a product of matrices, rows x inner times inner x columns. Each is below 2^32 and may
/// be 0.
struct MatrixExtents {
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t inner = 0;
};

struct MatMulOptions {
    bool transposeA = false; ///< A is stored as inner x rows
    bool transposeB = false; ///< B is stored as columns x inner
    /// Elements from the start of a stored row to the start of the next; by default the length of
    /// a row.
    std::optional<uint64_t> strideA;
    std::optional<uint64_t> strideB;
    std::optional<uint64_t> strideC;
    /// The number of products, and the number of elements from one matrix to the next, by default
    /// the size of a matrix. With a stride of 0, all products take the same A or B.
    uint64_t batches = 1;
    std::optional<uint64_t> batchStrideA;
    std::optional<uint64_t> batchStrideB;
    std::optional<uint64_t> batchStrideC;
    double alpha = 1;
    double beta = 0; ///< if 0, the old C is not read
    /// A GLSL expression for the elements of C over `c`, `row`, `column`, `batch` (uint) and
    /// `bias`: "max(c + bias, 0.0)". `c` is alpha op(A) op(B) + beta C, in the type of the sums.
    std::string epilogue;
    /// One element of C's type per column (or row), to add to C; an epilogue sees it as `bias`.
    TensorRange bias;
    bool biasOfRows = false;
};

/// Multiplies matrices in C order: C = epilogue(alpha op(A) op(B) + beta C), for each product of a
/// batch.
///
///     kp::MatMulOptions options;
///     options.epilogue = "max(c, 0.0)";
///     sequence->record<kp::OpMatMul>(a, b, c, kp::MatrixExtents{256, 128, 64}, options);
///
/// **Types.** A and B have the same type, any number. Sums have that type too, but eFloat for eHalf
/// and eBFloat16, and 32 bits for shorter integers. C has the type of A or of the sums. Integers
/// wrap around, and take whole alpha and beta.
///
/// **Rounding.** With u = 2^-24 (eDouble: 2^-53), an element's error is at most
/// (inner + 3) u times |alpha| |A| |B| + |beta C|, and the rounding to C's type. Products by
/// cooperative matrices round their sums as the driver does: tests allow them four times that.
/// Equal input gives equal bits on one device and driver: tall products are cut along `inner`, and
/// the parts are added in a fixed order.
///
/// **Method.** Work groups compute tiles of up to 128 x 128 elements from double-buffered tiles of
/// A and B in shared memory, and invocations up to 8 x 16 of them in registers (as Volkov and
/// Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008, and NVIDIA's CUTLASS). Products
/// of eHalf and eBFloat16 use cooperative matrices if the device has them
/// (docs/computing/matrices.md). Products with a vector only read the matrix once. Rows that begin
/// at multiples of 16 bytes are read fastest.
class KOMPUTE_API OpMatMul : public Primitive {
public:
    /// @param a, b  at least the elements of the matrices
    /// @param c     must not overlap with the others
    /// @throws InvalidArgument if types, sizes or strides do not match; ShaderError if the epilogue
    ///         does not compile; Unsupported if the device lacks a type; OutOfMemory
    OpMatMul(const TensorRange& a, const TensorRange& b, const TensorRange& c,
             const MatrixExtents& extents, const MatMulOptions& options = {});
    ~OpMatMul() override;
};

} // namespace kp
