// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/ManagerOptions.hpp>

#include "core/Classes.hpp"

namespace kp::python {

/// Returns a wait argument. @throws InvalidArgument
WaitPolicy toWaitPolicy(const std::string& name);

void bindManager(Classes& classes);

} // namespace kp::python
