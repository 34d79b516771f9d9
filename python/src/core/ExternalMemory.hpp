// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds ExternalMemory, Manager.tensor_over, exportable_tensor and import_memory, and
/// Tensor.export_memory: tensors over an array's memory, and tensors whose memory other devices and
/// processes open.
void bindExternalMemory(py::module_& module, Classes& classes);

} // namespace kp::python
