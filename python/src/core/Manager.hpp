// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/ManagerOptions.hpp>

namespace kp::python {

/// Returns a wait argument. @throws InvalidArgument
WaitPolicy toWaitPolicy(const std::string& name);

} // namespace kp::python
