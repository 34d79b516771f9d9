// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds HostImport, Manager.import_host and Manager.pinned_array: host memory that the device
/// accesses directly.
void bindHostMemory(py::module_& module, Classes& classes);

} // namespace kp::python
