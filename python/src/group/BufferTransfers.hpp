// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "group/Groups.hpp"

/// Copies between buffers and arrays of the host.
namespace kp::python {

/// Binds read(), write() and their asynchronous forms.
void bindTransfers(BufferClass& type);

} // namespace kp::python
