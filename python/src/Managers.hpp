// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "Handles.hpp"

namespace kp::python {

/// The handle behind a kp.Manager. @throws TypeError
std::shared_ptr<ManagerHandle> managerOf(py::handle self);

/// "auto", "spin", "hybrid" or "block". @throws ValueError
WaitPolicy toWaitPolicy(const std::string& name);

} // namespace kp::python
