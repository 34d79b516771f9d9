// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// A tensor of real or complex numbers.
struct FftArgument {
    const char* name = "";
    Memory::DataTypes type = Memory::DataTypes::eFloat; ///< eHalf, eFloat or eDouble
    uint64_t numbers = 0;                               ///< real ones: two per complex number
};

/// @param argument  checked by deviceOf()
/// @param isReal    real numbers, else complex ones
/// @throws InvalidArgument for other types
FftArgument fftArgument(const Argument& argument, bool isReal, const char* operation);

/// Returns true if the argument starts at a multiple of @p alignment in its buffer.
bool isAligned(const Argument& argument, uint64_t alignment);

/// Returns the axes that are transformed, up to three.
/// @param axes  negative ones count from the last; empty: all
/// @throws InvalidArgument if there are more, or if one does not exist or is given twice
std::vector<size_t> fftAxes(size_t dimensions, const std::vector<int>& axes, const char* operation);

/// @throws Unsupported if the library was built without VkFFT
void requireFft(const char* operation);

} // namespace kp::primitives
