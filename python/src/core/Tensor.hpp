// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds Manager.tensor and tensor_t.
void bindTensor(Classes& classes);

} // namespace kp::python
