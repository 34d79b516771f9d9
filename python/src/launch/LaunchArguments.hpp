// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/Handles.hpp"

/// Python values as arguments of launchers.
namespace kp::python {

/// Returns a Python value for an argument of a kernel. @param expected  null: unknown
/// @throws InvalidArgument naming the launcher and the argument
ArgumentValue toArgument(py::handle value, const KernelArgument* expected,
                         const std::string& launcher, const std::string& name);
/// Returns null for None.
std::shared_ptr<Queue> toQueue(py::handle queue, const char* argument);
/// Returns a number, or one to three of them; empty for None.
std::optional<WorkSize> toWorkSize(py::handle size, const char* argument);
/// Returns one end of a copy: a tensor, an image, or an array of host memory.
CopyEnd toCopyEnd(py::handle object, const char* argument, bool written);
/// Returns the scalar type of a dtype-like; eUnknown for None, text and classes of memory.
shader::ScalarType toScalarType(py::handle type);

} // namespace kp::python
