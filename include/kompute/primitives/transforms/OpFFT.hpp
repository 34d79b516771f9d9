// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Which transforms are divided; n is the product of the extents.
enum class FftNormalization {
    eBackward, ///< the inverse one by n
    eOrtho,    ///< both by the square root of n
    eForward   ///< the forward one by n
};

struct FftOptions {
    /// From spectra to values, with exp(+2 pi i j k / n).
    bool inverse = false;
    /// Between real values and half spectra. The spectrum of real values is symmetric, so only the
    /// first n / 2 + 1 complex numbers of each row of n values are stored, as by NumPy's rfftn.
    bool real = false;
    FftNormalization normalization = FftNormalization::eBackward;
    /// Up to three axes of the shape that are transformed, each once; negative ones count from the
    /// last. The shape then has up to four extents and covers the whole tensor. The last one given
    /// is the axis of half spectra. Axes other than the last ones cost two copies. Empty: all.
    std::vector<int> axes;
    /// The extents of the input's array if they differ from the shape, and as many: along each
    /// transformed axis, the input (also half spectra) is cut or padded with zeros at its end.
    /// Costs a copy of the input, and needs an output.
    std::vector<uint64_t> inputShape;
};

/// Discrete Fourier transforms of dense arrays in C order, in one to three dimensions:
///
///     sequence->record<kp::OpFFT>(values, spectrum, std::vector<uint64_t>{64, 64});
///
///     kp::FftOptions options;
///     options.inverse = true;
///     sequence->record<kp::OpFFT>(spectrum, values, std::vector<uint64_t>{64, 64}, options);
///
/// **Shape.** The extents of an array of values, the last of neighbours; also of a real transform,
/// forward and inverse. Tensors with more elements hold several arrays, one after the other, which
/// are all transformed. Without a shape, all elements are one array of one dimension.
///
/// **Types.** eHalf, eFloat and eDouble. Complex numbers are a real part followed by the imaginary
/// part: elements of a type of 4, 8 or 16 bytes that is eCustom, as std::complex<float>, or two
/// neighbouring elements of the numbers' type.
///
/// **In place**, with no output or the input as output. Real rows then have room for their half
/// spectra: the tensor has 2 (n / 2 + 1) numbers per row, the last one or two of which the values
/// do not use.
///
/// **Sizes.** Any extents from 1 on; products of 2, 3, 5, 7, 11 and 13 are fastest.
/// Others take Rader's or Bluestein's algorithm, at several times the cost. The result is as
/// accurate as by other fast transforms: errors grow with the logarithm of the extents. eHalf is
/// computed with in eFloat, but stored between passes, and overflows at 65504.
///
/// **Method.** VkFFT (Tolmachev, "VkFFT - A Performant, Cross-Platform and Open-Source GPU FFT
/// Library", 2023) generates the shaders. On NVIDIA's devices, arrays of complex eFloat along one
/// axis of 2^8 to 2^12 and 2^15 to 2^22 elements have shaders of the library's own, which are
/// faster there. On devices that are CPUs, extents without a prime factor above 61 have kernels of
/// the library's own, which are compiled faster. The first operation of its shape in a process
/// compiles the shaders, which takes from milliseconds to a second; later ones find them. Other
/// normalizations than eBackward take another pass for the division. So do parts of tensors that do
/// not start at a multiple of the device's minStorageBufferOffsetAlignment, for a copy. In the
/// inverse transform of half spectra, numbers that are real for symmetric spectra count as real.
///
/// Scratch memory: on GPUs none for extents up to a few thousand; else as much as the spectrum, and
/// several times that for large primes.
class KOMPUTE_API OpFFT : public Primitive {
public:
    /// @param in     values, or spectra for an inverse transform
    /// @param out    the other; empty for a transform in place
    /// @param shape  extents of an array of values, none 0
    /// @throws InvalidArgument if types or sizes do not match, or if the tensors overlap in part;
    ///         Unsupported if the device lacks the type, if the arrays are too large for it, or if
    ///         the library was built without VkFFT (KOMPUTE_OPT_FFT); OutOfMemory
    explicit OpFFT(const TensorRange& in, const TensorRange& out = {},
                   const std::vector<uint64_t>& shape = {}, const FftOptions& options = {});
    ~OpFFT() override;
};

} // namespace kp
