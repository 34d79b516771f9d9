// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds Sequence, Manager.sequence and kp.eval_all.
void bindSequence(py::module_& module, Classes& classes);

} // namespace kp::python
