// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

namespace kp::python {

/// Gives the type the buffer protocol.
py::custom_type_setup memoryTypeSetup();

/// Returns a handle of memory that the caller creates.
template <typename Handle>
std::unique_ptr<Handle> newMemory(std::shared_ptr<ManagerHandle> manager, const py::dtype& dtype,
                                  std::vector<py::ssize_t> shape) {
    auto handle = std::make_unique<Handle>();
    handle->manager = std::move(manager);
    handle->dtype = dtype;
    handle->shape = std::move(shape);
    return handle;
}

/// Returns any iterable of tensors and images, which may be iterated only once, as a list; None is
/// empty. @throws TypeError naming @p argument
py::list toList(py::handle objects, const char* argument);

/// Returns a list argument of tensors and images.
/// @throws TypeError naming @p argument and the index of a wrong entry
std::vector<std::shared_ptr<Memory>> toMemory(py::handle objects, const char* argument);
/// Same as handles.
std::vector<MemoryHandle*> toMemoryHandles(py::handle objects, const char* argument);
std::vector<std::shared_ptr<Memory>> memoryOf(const std::vector<MemoryHandle*>& handles);

} // namespace kp::python
