// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kp::python {

/// Binds DeviceGroup.reduce_into, sort_async and matmul_into.
void bindGroupPrimitives();

} // namespace kp::python
