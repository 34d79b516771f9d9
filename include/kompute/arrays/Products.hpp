// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>
#include <kompute/primitives/transforms/OpConvolve.hpp>

namespace kp {

// Products of vectors and matrices, in the type to which both promote. Matrices are read in place,
// even transposed or strided. Sums of bool are "or".

/// Returns the product of matrices, the last two axes of each. Other axes broadcast; an array of
/// one axis is a row on the left and a column on the right; the result omits that axis.
/// @throws InvalidArgument if the inner extents differ, or for arrays without axes
KOMPUTE_API Array matmul(const Array& a, const Array& b);
/// Returns the sums of products over the last axis of a and the second to last (or only) axis of b:
/// the inner product of vectors, the product of matrices. Arrays without axes multiply.
KOMPUTE_API Array dot(const Array& a, const Array& b);
/// Returns the sums of products over axes of both arrays, in pairs.
KOMPUTE_API Array tensordot(const Array& a, const Array& b, const Axes& axesOfA,
                            const Axes& axesOfB);
/// Returns the products of each element of a with each of b, a matrix. Both are flat.
KOMPUTE_API Array outer(const Array& a, const Array& b);

/// How sums of products are computed.
enum class ConvolutionMethod {
    /// Whichever is faster. Integers are always summed directly.
    eAutomatic,
    /// Each sum by itself: integers exactly, floating-point numbers with an error relative to the
    /// sum of the products' magnitudes.
    eDirect,
    /// By Fourier transforms, of blocks if one row is much longer (overlap-save; Rabiner and Gold,
    /// "Theory and Application of Digital Signal Processing", 1975). Errors are relative to the
    /// largest elements of the result, and a NaN or an infinity spreads over its whole block.
    eFourier
};

/// Returns the convolution of two rows: out[i] = sum over j of a[j] v[i - j]. Returns at once.
/// @param a, v  one axis and at least one element each, in any order, of any types
/// @param part  eSame has the extent of the longer row
/// @return the promoted type. eFloat16 is summed in float, eBool by logical or.
/// @throws InvalidArgument for other shapes, or for eFourier with integers; Unsupported for
///         eFourier with rows that are too large for the device, or without OpFFT
KOMPUTE_API Array convolve(const Array& a, const Array& v,
                           ConvolutionPart part = ConvolutionPart::eFull,
                           ConvolutionMethod method = ConvolutionMethod::eAutomatic);

/// Returns the sums of products of one row with the shifted, conjugated other one:
/// out[i] = sum over j of a[j + i] conj(v[j]). Otherwise as convolve().
KOMPUTE_API Array correlate(const Array& a, const Array& v,
                            ConvolutionPart part = ConvolutionPart::eValid,
                            ConvolutionMethod method = ConvolutionMethod::eAutomatic);

} // namespace kp
