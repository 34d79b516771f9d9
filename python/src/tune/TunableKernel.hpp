// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/Tuning.hpp"

namespace kp::python {

/// Returns the kernel with its factory, for the manager's device.
TunableKernel kernelFor(const TunableKernelHandle& handle, const Manager& manager);

/// Binds TunableKernel.
void bindTunableKernel(py::module_& module);

} // namespace kp::python
