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
    eValid ///< where all elements of the smaller array contribute: |a - b| + 1
};

/// Convolves arrays in C order, along one to three axes, by Fourier transforms:
/// out[i] = sum over j of a[j] b[i - j].
///
///     sequence->record<kp::OpConvolve>(picture, kernel, blurred, std::vector<uint64_t>{480, 640},
///                                      std::vector<uint64_t>{31, 31}, kp::ConvolutionPart::eSame);
///
/// **Axes.** Arrays have up to four dimensions, of which up to three are convolved. Along the
/// others, they are batches: extents are equal, or one of them is 1, and its array goes with all of
/// the other. So one kernel can be applied to many signals, or each of many kernels to each of many
/// signals:
///
///     // 100 signals of 4096 elements, and 8 kernels of 31: 100 x 8 results
///     sequence->record<kp::OpConvolve>(signals, kernels, out, std::vector<uint64_t>{100, 1, 4096},
///                                      std::vector<uint64_t>{1, 8, 31},
///                                      kp::ConvolutionPart::eSame, std::vector<int>{-1});
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
/// Each input is transformed once; if both have fewer arrays than the result, the arrays of b are
/// transformed once per result. Batches that are larger than a storage buffer's range are cut along
/// the first of their axes.
///
/// Scratch memory: four times the padded arrays of the result.
class KOMPUTE_API OpConvolve : public Primitive {
public:
    /// @param a, b    elements as the shapes state; no tensors overlap
    /// @param out     the elements of @p part
    /// @param shapeA, shapeB  as many extents, up to four, none 0; empty: one dimension
    /// @param axes            that are convolved, each once; negative ones count from the last;
    ///                        empty: all
    /// @throws InvalidArgument if types, sizes or the extents of batches do not match, if axes do
    ///         not exist, if tensors overlap, or if, for eValid, neither array is as large as the
    ///         other along all convolved axes; otherwise as OpFFT()
    OpConvolve(const TensorRange& a, const TensorRange& b, const TensorRange& out,
               const std::vector<uint64_t>& shapeA = {}, const std::vector<uint64_t>& shapeB = {},
               ConvolutionPart part = ConvolutionPart::eFull, const std::vector<int>& axes = {});
    ~OpConvolve() override;
};

} // namespace kp
