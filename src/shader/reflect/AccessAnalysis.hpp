// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// Accesses of an entry point to one resource variable.
struct VariableAccess {
    bool reads = false;
    bool writes = false;
    /// Of a separate image: the variables of the samplers that it is combined with.
    std::set<uint32_t> samplers{};
};

/// Determines which resource variables (storage buffers, uniform buffers, images, samplers) an
/// entry point reads and writes.
///
/// Pointers and image handles are followed from their variables through access chains, copies,
/// selections, phis, function arguments and function results until a fixed point. Loads, stores,
/// atomics, image and cooperative matrix operations then count for the variables behind their
/// operands. An unknown instruction, or a pointer stored in memory, counts as both accesses unless
/// the variable or all members of its block are decorated NonWritable or NonReadable. The result
/// may therefore contain an access that never happens, but never lacks one. Accesses through buffer
/// addresses belong to no variable and are ignored.
///
/// Never reads outside the module and never throws, but the result is meaningful only for modules
/// that validate() accepted.
/// @param entryFunction  id of the entry point's function
/// @return accesses by variable id, of the variables that reachable code uses
std::map<uint32_t, VariableAccess> analyzeAccess(const SpirvModule& module, uint32_t entryFunction);

} // namespace kp::shader
