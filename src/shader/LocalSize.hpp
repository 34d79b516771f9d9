// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// The size of a shader's workgroups and where it comes from.
struct LocalSize {
    std::array<uint32_t, 3> size = {1, 1, 1}; ///< with the defaults of specialization constants
    /// Id of the specialization constant that sets each dimension, where one does.
    std::array<std::optional<uint32_t>, 3> specId;
};

/// Finds the workgroup size of an entry point: the constant decorated WorkgroupSize where there is
/// one (it takes precedence), else the execution modes LocalSizeId or LocalSize.
LocalSize findLocalSize(const SpirvModule& module, uint32_t entryFunction);

} // namespace kp::shader
