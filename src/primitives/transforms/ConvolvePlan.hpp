// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kompute/primitives/transforms/OpConvolve.hpp>

#include "primitives/transforms/FftPrograms.hpp"

namespace kp::primitives {

/// The problem of OpConvolve: batches of arrays, convolved along some axes.
struct ConvolveProblem {
    /// An input or the output. Axes are in the order of scratch memory, batch axes first.
    struct Array {
        std::vector<uint64_t> extents;
        std::vector<uint64_t> strides; ///< elements
        bool operator==(const Array&) const = default;
    };

    Array a;
    Array b;
    Array out;
    std::vector<uint64_t> padded; ///< extents along convolved axes
    std::vector<uint64_t> first;  ///< index in the padded result, along all axes, of the kept part
    size_t batchAxes = 0;
    Memory::DataTypes type = Memory::DataTypes::eFloat; ///< of a real or imaginary part
    bool real = true;
    std::array<uint32_t, 3> units{16, 16, 16}; ///< startUnit() of a, b and the output

    /// @param shapeA, shapeB  as many extents, one to four, none 0
    /// @param axes            that are convolved; empty: all
    /// @throws InvalidArgument if the extents or axes do not match
    ConvolveProblem(const std::vector<uint64_t>& shapeA, const std::vector<uint64_t>& shapeB,
                    ConvolutionPart part, const std::vector<int>& axes, Memory::DataTypes type,
                    bool real);
    bool operator==(const ConvolveProblem&) const = default;
};

/// Arguments of the plan: 0 is a, 1 is b, 2 the output, then the constants of @p programs.
/// @throws Unsupported for arrays that are too large for the device
Plan planConvolve(const ConvolveProblem& problem, const FftTraits& traits, FftPrograms& programs);

} // namespace kp::primitives
