// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Which part of a convolution is kept, along each axis, of a and b elements.
enum class ConvolutionPart {
    eFull, ///< all: a + b - 1
    eSame, ///< a, from number (b - 1) / 2 of all on
    eValid ///< those that all elements of the smaller array contribute to: |a - b| + 1
};

/// Convolves arrays in C order, in one to three dimensions, by Fourier transforms:
/// out[i] = sum over j of a[j] b[i - j].
///
///     sequence->record<kp::OpConvolve>(picture, kernel, blurred, std::vector<uint64_t>{480, 640},
///                                      std::vector<uint64_t>{31, 31}, kp::ConvolutionPart::eSame);
///
/// **Types.** eHalf, eFloat or eDouble, and complex numbers as elements of eCustom, as OpFFT takes
/// them. All three have the same type.
///
/// **Rounding.** Each element's error is relative to the largest elements of the result, not to
/// itself. eHalf overflows if a spectrum exceeds 65504.
///
/// **Method.** Both arrays are padded with zeros to extents of small factors, transformed, and
/// multiplied; see OpFFT. Worth it for kernels of more than about a hundred elements.
///
/// Scratch memory: four times the padded array.
class KOMPUTE_API OpConvolve : public Primitive {
public:
    /// @param a, b    as many elements as their shapes say; none of the tensors overlap
    /// @param out     the elements of @p part
    /// @param shapeA, shapeB  as many extents, none 0; empty: one dimension
    /// @throws InvalidArgument if types or sizes do not match, if tensors overlap, or if, for
    ///         eValid, neither array is as large as the other along all axes; otherwise as OpFFT()
    OpConvolve(const TensorRange& a, const TensorRange& b, const TensorRange& out,
               const std::vector<uint64_t>& shapeA = {}, const std::vector<uint64_t>& shapeB = {},
               ConvolutionPart part = ConvolutionPart::eFull);
    ~OpConvolve() override;
};

} // namespace kp
