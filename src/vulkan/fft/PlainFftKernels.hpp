// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan {

/// The kernels of planPlainFft(). Lengths, strides and directions are push constants, so that
/// passes over different axes and arrays share kernels. All bind their input at 0, their
/// output at 1, and, if usesRoots(), the roots of unity of plainFftRoots() at 2.
struct PlainFftKernel {
    enum class Kind {
        ePass,     ///< butterflies of one radix, an invocation each
        eAnyPass,  ///< butterflies of any radix, an invocation for each number
        eSpectrum, ///< between rows of n / 2 complex numbers and the half spectra of n real ones
        eWiden,    ///< complex numbers of real ones
        eNarrow,   ///< real parts
        eComplete, ///< rows of full spectra, of half ones
        eCopy      ///< rows, or their beginnings
    };
    Kind kind = Kind::ePass;
    uint32_t radix = 0; ///< of ePass

    bool usesRoots() const { return kind <= Kind::eSpectrum; }
    auto operator<=>(const PlainFftKernel&) const = default;
};

/// Their push constants. A row of a pass is an array of `length` * `inner` numbers, of which each
/// `inner`th belong together.
struct PlainFftPush {
    uint32_t count = 0;    ///< invocations of all rows
    uint32_t ofRow = 1;    ///< of one row
    uint32_t inSpace = 0;  ///< numbers from row to row in memory; real ones of eWiden
    uint32_t outSpace = 0; ///< real ones of eNarrow
    uint32_t before = 1;   ///< numbers of the transforms so far, times `inner`
    uint32_t inner = 1;    ///< distance of the numbers of a transform
    uint32_t distance = 0; ///< of the numbers of a butterfly; of eSpectrum, n / 2
    uint32_t radix = 0;    ///< of eAnyPass
    uint32_t roots = 0;    ///< in the table; of eComplete, the numbers of a row
    uint32_t step = 0;     ///< from root to root
    bool inverse = false;
    double scale = 1; ///< of the results

    std::vector<uint32_t> words(FftRequest::Precision precision) const;
};

constexpr uint32_t kPlainFftGroupSize = 64;

/// Returns the GLSL of a kernel.
/// @param hasInt64  it may use 64-bit integers
std::string plainFftText(const PlainFftKernel& kernel, FftRequest::Precision precision,
                         bool hasInt64);

/// Returns exp(-2 pi i p / count) for each p below count.
std::vector<std::byte> plainFftRoots(uint64_t count, FftRequest::Precision precision);

} // namespace kp::vulkan
