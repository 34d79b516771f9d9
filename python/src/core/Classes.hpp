// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Returns a wait argument. @throws InvalidArgument
WaitPolicy toWaitPolicy(const std::string& name);

/// Binds the enums of elements, memory and barriers.
void bindEnums(py::module_& module);

/// Binds Manager and kp.list_devices.
void bindManager(py::module_& module, Classes& classes);
void bindMemory(Classes& classes);
/// Binds Manager.tensor and tensor_t.
void bindTensor(Classes& classes);
/// Binds Image, Manager.image and image_t.
void bindImage(Classes& classes);
/// Binds Algorithm and Manager.algorithm.
void bindAlgorithm(Classes& classes);
void bindOperations(py::module_& module, Classes& classes);
/// Binds Queue and Manager.queue.
void bindQueue(Classes& classes);
/// Binds Sequence, Manager.sequence and kp.eval_all.
void bindSequence(py::module_& module, Classes& classes);
/// Binds HostImport, Manager.import_host and Manager.pinned_array: host memory that the device
/// accesses directly.
void bindHostMemory(py::module_& module, Classes& classes);
/// Binds ExternalMemory, Manager.tensor_over, exportable_tensor and import_memory, and
/// Tensor.export_memory: tensors over an array's memory, and tensors whose memory other devices and
/// processes open.
void bindExternalMemory(py::module_& module, Classes& classes);

} // namespace kp::python
