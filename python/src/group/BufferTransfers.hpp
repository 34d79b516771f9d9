// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "group/Groups.hpp"

namespace kp::python {

/// Binds Buffer's reads and writes.
void bindBufferTransfers(BufferClass& type);

} // namespace kp::python
