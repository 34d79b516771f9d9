// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Handles.hpp"

namespace kp::python {

/// Gives the type the buffer protocol.
py::custom_type_setup memoryTypeSetup();

/// Any iterable of tensors and images, which may be gone through only once, as a list; None is
/// empty. @throws TypeError naming @p argument
py::list toList(py::handle objects, const char* argument);

/// A list argument of tensors and images, and nothing else.
/// @throws TypeError naming @p argument and the place of what is wrong
std::vector<std::shared_ptr<Memory>> toMemory(py::handle objects, const char* argument);
/// Same as the Python objects' handles, checked.
std::vector<MemoryHandle*> toMemoryHandles(py::handle objects, const char* argument);
std::vector<std::shared_ptr<Memory>> memoryOf(const std::vector<MemoryHandle*>& handles);

} // namespace kp::python
