// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// Returns the SPIR-V specification's names of the capabilities that a module declares, such as
/// "Float64"; "Capability<number>" for one that SPIRV-Tools does not know.
std::vector<std::string> capabilitiesOf(const SpirvModule& module);

} // namespace kp::shader
