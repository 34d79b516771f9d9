// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds Algorithm and Manager.algorithm.
void bindAlgorithm(Classes& classes);

} // namespace kp::python
