// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/Handles.hpp"

namespace kp::python {

/// The classes of this folder, declared before any member so that signatures in docstrings name
/// Python types.
struct Classes {
    explicit Classes(py::module_& module);

    py::class_<ManagerHandle, std::shared_ptr<ManagerHandle>> manager;
    py::class_<MemoryHandle> memory;
    py::class_<TensorHandle, MemoryHandle> tensor;
    py::class_<ImageHandle, MemoryHandle> image;
    py::class_<AlgorithmHandle> algorithm;
    py::class_<OpHandle> operation;
    py::class_<SequenceHandle> sequence;
    py::class_<Event> event;
    py::class_<UserEvent, Event> userEvent;
    py::class_<QueueHandle> queue;
};

} // namespace kp::python
