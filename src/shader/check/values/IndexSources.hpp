// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Returns the values of a module that indices and image coordinates are computed from: operands of
/// arithmetic, values of variables, arguments and results of functions. Values in buffers are not
/// followed.
std::unordered_set<uint32_t> indexSources(const CheckContext& context);

} // namespace kp::shader
