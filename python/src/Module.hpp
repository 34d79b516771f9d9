// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Events.hpp"

namespace kp::python {

/// The classes, declared before any member so that signatures in docstrings name Python types.
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

// One function per file of bindings.
void bindErrors();
void bindEnums(py::module_& module);
void bindManager(py::module_& module, Classes& classes);
void bindMemory(Classes& classes);
void bindAlgorithm(Classes& classes);
void bindOperations(py::module_& module, Classes& classes);
void bindSequence(py::module_& module, Classes& classes);
void bindEvent(py::module_& module, Classes& classes);
void bindQueue(Classes& classes);
void bindStatistics(py::module_& module);
void bindLaunchers(py::module_& module);
void bindKernelList(py::module_& module);
void bindHostMemory(py::module_& module);
void bindShaders(py::module_& module);
void bindTunableKernel(py::module_& module);
void bindTuningArguments(py::module_& module);
void bindAutotuner(py::module_& module);
void bindProfiler(py::module_& module);
void bindExternalMemory(py::module_& module, Classes& classes);
void bindDeviceGroup(py::module_& module);
void bindGroupBuffer(py::module_& module);
void bindGroupKernel(py::module_& module);
void bindLogging();
void bindProcess();

} // namespace kp::python
