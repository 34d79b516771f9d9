// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Further outputs of OpSelect, OpPartition, OpUnique and OpRunLength, besides the number of
/// results.
struct SelectOptions {
    /// Three eUnsignedInt, for an indirect dispatch (OpAlgoDispatch) over the results: the work
    /// groups in x, y and z with `groupSize` results each, (0, 1, 1) if there are none. Unless x is
    /// the number of groups, y or z is more than 1, and the shader counts groups as
    /// x + gl_NumWorkGroups.x * (y + gl_NumWorkGroups.y * z). It compares with the number of
    /// results, since the last groups may have fewer or none, and with the size of an output that
    /// may be too small for all of them.
    TensorRange dispatch;
    uint32_t groupSize = 256; ///< at least 1
};

} // namespace kp
