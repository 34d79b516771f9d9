// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "group/Groups.hpp"

namespace kp::python {

/// Binds Buffer's copies and collectives.
void bindBufferCollectives(BufferClass& type);

} // namespace kp::python
