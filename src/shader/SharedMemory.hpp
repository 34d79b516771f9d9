// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace kp::shader {

struct SpirvModule;

/// Returns the size of the variables that a work group shares (`shared` in GLSL), with scalar
/// alignment, for comparison with the device's limit. Blocks share one place.
/// @param specialization  bits of specialization constants, by id; others have their defaults
/// @return bytes; nothing if a size depends on an unsupported expression
/// @throws ShaderError as parseSpirv()
std::optional<uint64_t> sharedMemoryBytes(std::span<const uint32_t> spirv,
                                          const std::map<uint32_t, uint64_t>& specialization = {});
std::optional<uint64_t> sharedMemoryBytes(const SpirvModule& module,
                                          const std::map<uint32_t, uint64_t>& specialization = {});

} // namespace kp::shader
