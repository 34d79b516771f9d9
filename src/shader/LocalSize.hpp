// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// The work group size of a shader.
struct LocalSize {
    std::array<uint32_t, 3> size = {1, 1, 1}; ///< with default specialization constants
    /// The specialization constants that set the dimensions, if any.
    std::array<std::optional<uint32_t>, 3> specId;
};

/// Returns the work group size of an entry point: the constant decorated WorkgroupSize, which takes
/// precedence, else the execution mode LocalSizeId or LocalSize.
LocalSize findLocalSize(const SpirvModule& module, uint32_t entryFunction);

} // namespace kp::shader
