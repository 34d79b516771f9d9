// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Where a device has atomics of 32-bit floats: additions, exchanges, loads and stores. No device
/// is asked for minima and maxima.
struct FloatAtomicSupport {
    bool buffers = true;
    bool shared = true;
    bool operator==(const FloatAtomicSupport&) const = default;
};

/// Returns true if a module may have atomics that replaceFloatAtomics() replaces.
bool needsFloatAtomics(std::span<const uint32_t> spirv, const FloatAtomicSupport& support);

/// Replaces atomics of 32-bit floats that the device lacks. The floats of the buffers and shared
/// variables that they change become words, and an addition, minimum or maximum compares and
/// exchanges a word until no other invocation has changed it. A minimum or maximum of NaN and a
/// number is the number.
/// @throws ShaderError for floats that the module accesses in a way of which words are not capable
void replaceFloatAtomics(ModuleEditor& editor, const FloatAtomicSupport& support);

} // namespace kp::shader
