// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace kp::shader {

/// The SPIR-V specification's name of a capability a compute shader may declare ("Float64");
/// "Capability<number>" for one that is newer than this library.
std::string capabilityName(uint32_t capability);

} // namespace kp::shader
