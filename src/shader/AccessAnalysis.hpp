// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// What an entry point does with one resource variable.
struct VariableAccess {
    bool reads = false;
    bool writes = false;
};

/// Finds, for every resource variable (storage buffer, uniform buffer, image, sampler) that an
/// entry point can reach, whether it is read and whether it is written.
///
/// Each pointer and each image handle is followed from its variable through access chains, copies,
/// selections, phis, function arguments and function results, until nothing changes any more.
/// Loads, stores, atomics, image and cooperative-matrix operations then count for the variables
/// behind their operand. What cannot be followed (an instruction this library does not know, a
/// pointer stored in memory) counts as both, unless the variable or all members of its block are
/// decorated NonWritable or NonReadable. So the answer may name an access that never happens, but
/// never misses one; accesses through buffer addresses belong to no variable and are not seen.
///
/// Reads nothing beyond the module and never throws on damaged ones; the result is only
/// meaningful for modules that validate() accepted.
/// @param entryFunction  id of the entry point's function
/// @return by variable id; a variable is present exactly where reachable code names it
std::map<uint32_t, VariableAccess> analyzeAccess(const SpirvModule& module, uint32_t entryFunction);

} // namespace kp::shader
