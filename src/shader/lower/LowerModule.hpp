// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shader/atomics/FloatAtomics.hpp"

namespace kp::shader {

/// Types of numbers and their atomics that a device has, as far as they can be replaced.
struct NumberSupport {
    bool int8 = true;  ///< arithmetic; shared and private variables
    bool int16 = true; ///< likewise
    bool int64 = true;
    bool float16 = true; ///< as int8
    bool float64 = true;
    bool storage8 = true;  ///< 8-bit elements of storage buffers
    bool storage16 = true; ///< 16-bit elements of storage buffers
    bool uniform8 = true;  ///< and of uniform buffers
    bool uniform16 = true;
    bool push8 = true; ///< 8-bit push constants
    bool push16 = true;
    FloatAtomicSupport floatAtomics;
    /// Whether the driver compiles functions of 100,000 instructions in time. For others, long
    /// functions are interpreted, which takes longer to run (InterpretLongFunctions.hpp).
    bool longFunctions = true;
    bool operator==(const NumberSupport&) const = default;
};

/// A specialization constant whose type was lowered.
struct LoweredConstant {
    uint32_t id = 0;   ///< in the module as it was
    uint32_t high = 0; ///< of 64 bits: the id of the high word; the low one keeps the id
    uint32_t bytes = 0;
    bool isSigned = false;
    bool isFloat = false; ///< of 2 bytes: a half, which becomes a float
};

struct LoweredModule {
    std::vector<uint32_t> spirv;
    std::vector<LoweredConstant> constants;
    /// True if buffers of elements below 32 bits are read as words, so that their descriptors'
    /// range is to be rounded up to 4 bytes.
    bool wordBuffers = false;
};

/// Returns true if a module uses numbers, or atomics, that @p support lacks and lowerModule()
/// replaces.
bool needsLowering(std::span<const uint32_t> spirv, const NumberSupport& support);

/// Returns a valid module that computes the same, to the bit, without the types that the device
/// lacks: 64-bit numbers are pairs of words, narrow ones are kept in 32 bits, and buffers with
/// elements of 8 and 16 bits are accessed as words, changed with atomics. Bindings, the layout of
/// buffers and the entry point stay. Thread-safe.
/// @param spirv  a valid module of one compute entry point
/// @throws ShaderError that names the instruction which cannot be replaced, such as a 64-bit atomic
LoweredModule lowerModule(std::span<const uint32_t> spirv, const NumberSupport& support);

} // namespace kp::shader
