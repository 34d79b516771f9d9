// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "group/Groups.hpp"

/// Copies and reductions among the devices of a buffer.
namespace kp::python {

/// Binds copies and collectives.
void bindCollectives(BufferClass& type);

} // namespace kp::python
