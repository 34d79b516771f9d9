// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace kp::shader {

/// Bytes of the variables that the invocations of a work group share (`shared` in GLSL), with
/// scalar alignment: what is compared with the device's limit before a pipeline is made.
/// @param specialization  bits of the specialization constants given, by id; others have their
///                        defaults
/// @return nothing where a size depends on something that is not understood
/// @throws ShaderError where the words are no SPIR-V module
std::optional<uint64_t> sharedMemoryBytes(std::span<const uint32_t> spirv,
                                          const std::map<uint32_t, uint64_t>& specialization = {});

} // namespace kp::shader
