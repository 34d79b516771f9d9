// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <kompute/Memory.hpp>

#include "primitives/move/MovePlan.hpp"
#include "primitives/source/ExactNumber.hpp"
#include "primitives/transforms/FftPrograms.hpp"

namespace kp::primitives {

struct FftProblem {
    std::vector<uint64_t> extents; ///< one to three, none 0, neighbours along the last
    uint64_t batches = 1;          ///< not 0
    Memory::DataTypes type = Memory::DataTypes::eFloat; ///< of real and imaginary parts
    bool real = false;                                  ///< between real numbers and half spectra
    bool inverse = false;
    bool inPlace = false;
    bool normalized = false; ///< the results are divided by the product of the extents
    ExactNumber scale = 1;   ///< and then multiplied by this
    bool inAligned = true;   ///< the input starts at a multiple of FftTraits::alignment
    bool outAligned = true;
    /// Copy from the input to scratch memory, if its axes are in another order or its extents
    /// others, and back to the output, if its axes are.
    std::optional<MoveProblem> moveIn;
    std::optional<MoveProblem> moveOut;
    bool padsInput = false; ///< moveIn leaves elements that are zero

    /// Returns the numbers of an array: two for each complex one.
    uint64_t inNumbers() const { return numbers(!real || inverse); }
    uint64_t outNumbers() const { return numbers(!real || !inverse); }
    bool operator==(const FftProblem&) const = default;

private:
    uint64_t numbers(bool isSpectrum) const;
};

/// A kernel of Spectrum.glsl.
/// @param mode  "SCALE", "WIDEN", ...
Kernel spectrumKernel(const char* mode, Memory::DataTypes type, const DeviceTraits& traits);

/// A dispatch of such a kernel.
struct SpectrumStep {
    uint32_t kernel = 0;
    View in; ///< memory, offset and bytes
    View out;
    uint64_t count = 0; ///< of numbers or complex numbers that are made
    double scale = 1;
    std::vector<uint64_t> extents; ///< of full spectra
    /// MULTIPLY: which array of the input belongs to each of the output.
    struct Factors {
        uint64_t numbers = 0;                     ///< complex ones in an array
        std::array<uint64_t, 3> extents{1, 1, 1}; ///< of the output, in arrays
        std::array<uint64_t, 3> strides{};        ///< of the input, in arrays; 0: the same one
    };
    std::optional<Factors> factors;
};
Dispatch spectrumDispatch(const SpectrumStep& step, Memory::DataTypes type,
                          const DeviceTraits& traits);

/// Arguments of the plan: 0 is the input, 1 the output (the same one if in place), then the
/// constants of @p programs.
/// @throws InvalidArgument; Unsupported for sizes that the device does not support
Plan planFft(const FftProblem& problem, const FftTraits& traits, FftPrograms& programs);

} // namespace kp::primitives
