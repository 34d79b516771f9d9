// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds Queue and Manager.queue.
void bindQueue(Classes& classes);

} // namespace kp::python
