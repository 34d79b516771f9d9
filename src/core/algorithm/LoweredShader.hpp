// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/Hash.hpp"
#include "core/algorithm/Specialization.hpp"
#include "shader/lower/LowerModule.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

/// A module without the types that a device lacks, and its contentKey().
struct LoweredShader {
    shader::LoweredModule module;
    Hash key;
};

/// Returns a module lowered for a device; null if the device has all types that the module uses, so
/// that the module itself works. Cached by content. Thread-safe.
/// @param contentKey  of @p spirv
/// @throws ShaderError as shader::lowerModule()
std::shared_ptr<const LoweredShader>
loweredFor(const vulkan::Device& device, std::span<const uint32_t> spirv, const Hash& contentKey);

/// Returns constants as the lowered module takes them: 64-bit ones in two words, narrow ones in
/// 32 bits.
Specialization loweredConstants(const Specialization& constants,
                                const shader::LoweredModule& module);

} // namespace kp
