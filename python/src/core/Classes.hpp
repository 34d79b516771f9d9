// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"
#include "base/Held.hpp"
#include "core/MemoryArguments.hpp"

/// Python's classes of memory, algorithms, operations, sequences, events and queues, and the
/// conversions of arguments that consist of them.
namespace kp::python {

/// The classes of this folder, declared before any member so that signatures in docstrings name
/// Python types.
struct Classes {
    explicit Classes(py::module_& module);

    py::class_<ManagerHandle, std::shared_ptr<ManagerHandle>> manager;
    py::class_<MemoryHandle> memory;
    py::class_<TensorHandle, MemoryHandle> tensor;
    py::class_<ImageHandle, MemoryHandle> image;
    py::class_<SamplerHandle> sampler;
    py::class_<SemaphoreHandle> semaphore;
    py::class_<AlgorithmHandle> algorithm;
    py::class_<OpHandle> operation;
    py::class_<SequenceHandle> sequence;
    py::class_<Event> event;
    py::class_<UserEvent, Event> userEvent;
    py::class_<QueueHandle> queue;
};

/// Returns a wait argument. @throws InvalidArgument
WaitPolicy toWaitPolicy(const std::string& name);

/// Returns a kp.MemoryTypes, or the one with that name. @throws TypeError, InvalidArgument
Memory::MemoryTypes toMemoryType(py::handle value, const char* argument);

/// Gives the type the buffer protocol.
py::custom_type_setup memoryTypeSetup();

/// Returns a handle of memory that @p make, called without the GIL, creates.
template <typename Handle, typename Make>
std::unique_ptr<Handle> newMemory(const std::shared_ptr<ManagerHandle>& manager,
                                  const py::dtype& dtype, std::vector<py::ssize_t> shape,
                                  Make&& make) {
    auto handle = std::make_unique<Handle>();
    handle->manager = manager;
    handle->dtype = dtype;
    handle->shape = std::move(shape);
    handle->memory = withoutGil(*manager, [&] { return make(*manager->manager); });
    return handle;
}

/// Returns a check argument as AlgorithmOptions::check: True is "1", False is "off", None is "".
/// @throws TypeError
std::string toChecks(const py::object& value);

/// The options of algorithms and kernels as keywords. Those that are not given keep their values.
struct GivenOptions {
    std::optional<uint32_t> subgroupSize;
    std::optional<bool> fullSubgroups;
    py::object addressed; ///< a sequence of tensors, or None
    py::object samplers;  ///< a sampler or a sequence of samplers, or None
    std::optional<bool> robustAccess;
    std::optional<uint64_t> maxPrivateBytes;
    std::optional<bool> emulateTypes;
    py::object check; ///< as toChecks() takes it

    /// @throws TypeError naming the keyword
    AlgorithmOptions over(AlgorithmOptions options) const;
};

/// Makes sequences known to the garbage collector, since their operations may refer to them.
py::custom_type_setup sequenceTypeSetup();

/// Returns the operation to record for a Python object: the one behind it, or for classes derived
/// in Python a PythonOperation.
/// @param derived  if not null, gets the latter
/// @throws TypeError if it is not an operation
std::shared_ptr<OpBase> toOperation(PyObject* object,
                                    std::vector<std::shared_ptr<OpBase>>* derived = nullptr);
/// Visits the Python objects of an operation whose class is derived in Python.
int visitDerived(const OpBase& operation, visitproc visit, void* argument);

/// Returns a wait_for argument: events, in which None is ignored; None, or one event alone.
/// @param manager  if not null, CUDA streams of its GPU count as events: their work so far
/// @throws TypeError
std::vector<Event> toEvents(py::handle waitFor, Manager* manager = nullptr);

/// Returns a new kp.Event, faster than py::cast().
PyObject* toPython(Event&& event);

/// Lets kp.Event be destroyed as fast as toPython() makes it.
py::custom_type_setup eventTypeSetup();

/// Keeps a Python object (memory that a transfer reads or fills) until all events are over.
void keepUntilOver(const std::vector<Event>& events, const Held& object);

void bindEnums(py::module_& module);
/// Binds kp.checked.
void bindCheck(py::module_& module);
void bindManager(py::module_& module, Classes& classes);
/// Binds Memory.
void bindMemory(Classes& classes);
/// Binds Tensor and the functions of Manager that create tensors.
void bindTensor(Classes& classes);
/// Binds Image and the functions of Manager that create images.
void bindImage(Classes& classes);
/// Binds Sampler and Manager.sampler.
void bindSampler(Classes& classes);
/// Binds Semaphore and the functions of Manager that create semaphores.
void bindSemaphore(Classes& classes);
/// Returns a sampler, or any iterable of samplers. @throws TypeError naming @p argument
std::vector<std::shared_ptr<Sampler>> toSamplers(py::handle samplers, const char* argument);
void bindAlgorithm(Classes& classes);
void bindOperations(py::module_& module, Classes& classes);
void bindEvent(py::module_& module, Classes& classes);
void bindQueue(Classes& classes);
/// Binds Sequence, Manager.sequence and kp.eval_all.
void bindSequence(py::module_& module, Classes& classes);
/// Binds HostImport and ExternalMemory: host memory that the device accesses directly, and memory
/// that other devices and processes open.
void bindExternalMemory(py::module_& module, Classes& classes);
/// Binds shared tensors, and order with CUDA's streams.
void bindCuda(py::module_& module, Classes& classes);

} // namespace kp::python
