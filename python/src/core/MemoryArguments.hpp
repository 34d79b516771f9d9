// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

/// Arguments that are memory: types of memory, and lists of tensors and images.
namespace kp::python {

/// Returns a memory_type argument, or that by the name of Kompute 0.9.0 if it is given.
Memory::MemoryTypes eitherType(const py::object& memoryType, const py::object& tensorType);

/// Returns any iterable of tensors and images, which may be iterated only once, as a list; None is
/// empty. @throws TypeError naming @p argument
/// @param memoryAlone  false: they may be parts of tensors, which the caller checks
py::list toList(py::handle objects, const char* argument, bool memoryAlone = true);

/// @throws InvalidArgument naming @p argument for a tensor without elements
void requireElements(const MemoryHandle& handle, const std::string& argument);

/// Returns a list argument of tensors and images.
/// @param allowsEmpty  tensors without elements are accepted
/// @throws TypeError, InvalidArgument naming @p argument and the index of a wrong entry
std::vector<std::shared_ptr<Memory>> toMemory(py::handle objects, const char* argument,
                                              bool allowsEmpty = false);
/// Same as handles.
std::vector<MemoryHandle*> toMemoryHandles(py::handle objects, const char* argument,
                                           bool allowsEmpty = false);
std::vector<std::shared_ptr<Memory>> memoryOf(const std::vector<MemoryHandle*>& handles);

} // namespace kp::python
