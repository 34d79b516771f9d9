// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/Hash.hpp"

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

/// Returns the size of an invocation's private arrays: variables of functions, as
/// often as the entry point reaches their function, and global ones. A constant table counts once,
/// although compilers copy it to a variable wherever it is indexed.
/// @param function  of the entry point
/// @return bytes; nothing if a size depends on an unsupported expression
std::optional<uint64_t> privateArrayBytes(const SpirvModule& module, uint32_t function,
                                          const std::map<uint32_t, uint64_t>& specialization = {});

/// Both of a module.
struct VariableBytes {
    std::optional<uint64_t> shared;
    std::optional<uint64_t> privateArrays;
};

/// Returns both, from a cache if the module was measured with the same constants. Thread-safe.
/// @param contentKey  of the module, which must have the entry point
VariableBytes variableBytesCached(std::span<const uint32_t> spirv, const Hash& contentKey,
                                  const std::string& entryPoint,
                                  const std::map<uint32_t, uint64_t>& specialization);

} // namespace kp::shader
