// SPDX-License-Identifier: Apache-2.0
#include "core/MemoryArguments.hpp"

#include "base/Errors.hpp"
#include "core/Classes.hpp"

namespace kp::python {
namespace {

/// @throws TypeError for an entry of a list argument that is neither a tensor nor an image
[[noreturn]] void throwNoMemory(const char* argument, size_t index, py::handle item) {
    if (py::isinstance<py::array>(item))
        throw py::type_error(formatted("{}[{}] is a tensor or an image, not a numpy.ndarray; make "
                                       "one with Manager.tensor_t(array)",
                                       argument, index));
    throwTypeError(formatted("{}[{}]", argument, index), "a tensor or an image", item);
}

/// Returns the object itself if it is a list or a tuple, else a list of its elements.
/// @param memoryAlone  ends at the first one that is not a memory object: the iterable may be
///                     infinite
py::object listed(py::handle objects, const char* argument, bool memoryAlone) {
    if (PyList_Check(objects.ptr()) || PyTuple_Check(objects.ptr()))
        return py::reinterpret_borrow<py::object>(objects);
    if (isA<MemoryHandle>(objects)) // which could be iterated, too
        throw py::type_error(formatted("{} is a list of tensors and images, not {}; write [{}]",
                                       argument, kindOf(objects),
                                       isA<ImageHandle>(objects) ? "image" : "tensor"));
    if (isArray(objects))
        throw py::type_error(
            formatted("{} is a list of tensors and images, not a kp.Array; write [array.tensor()]",
                      argument));
    PyObject* const iterator = PyObject_GetIter(objects.ptr());
    if (!iterator && !PyErr_ExceptionMatches(PyExc_TypeError))
        throw py::error_already_set();
    if (!iterator) {
        PyErr_Clear();
        throwTypeError(argument, "a list of tensors and images", objects);
    }
    const auto held = py::reinterpret_steal<py::object>(iterator);
    py::list list;
    while (PyObject* const next = PyIter_Next(iterator)) {
        const auto item = py::reinterpret_steal<py::object>(next);
        if (memoryAlone && !isA<MemoryHandle>(next))
            throwNoMemory(argument, list.size(), item);
        list.append(item);
    }
    if (PyErr_Occurred())
        throw py::error_already_set();
    return list;
}

} // namespace

Memory::MemoryTypes eitherType(const py::object& memoryType, const py::object& tensorType) {
    return tensorType.is_none() ? toMemoryType(memoryType, "memory_type")
                                : toMemoryType(tensorType, "tensor_type");
}

py::list toList(py::handle objects, const char* argument, bool memoryAlone) {
    if (objects.is_none())
        return py::list();
    const py::object list = listed(objects, argument, memoryAlone);
    auto copied = py::reinterpret_steal<py::list>(PySequence_List(list.ptr())); // it may change
    if (!copied) // a class derived from list may raise when it is read
        throw py::error_already_set();
    return copied;
}

void requireElements(const MemoryHandle& handle, const std::string& argument) {
    if (handle.empty)
        throw InvalidArgument(formatted("{} is a tensor without elements, which no shader or copy "
                                        "can access; leave out work on nothing",
                                        argument));
}

std::vector<MemoryHandle*> toMemoryHandles(py::handle objects, const char* argument,
                                           bool allowsEmpty) {
    requireThisProcess();
    const py::object held = listed(objects, argument, true);
    PyObject* const sequence = held.ptr();
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    std::vector<MemoryHandle*> handles;
    handles.reserve(static_cast<size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(sequence, i);
        auto* const handle = isA<MemoryHandle>(item) ? pointerOf<MemoryHandle>(item) : nullptr;
        if (!handle)
            throwNoMemory(argument, static_cast<size_t>(i), item);
        requireCreated(*handle);
        if (!allowsEmpty && handle->empty)
            requireElements(*handle, formatted("{}[{}]", argument, i));
        handles.push_back(handle);
    }
    return handles;
}

std::vector<std::shared_ptr<Memory>> memoryOf(const std::vector<MemoryHandle*>& handles) {
    std::vector<std::shared_ptr<Memory>> memory;
    memory.reserve(handles.size());
    for (const MemoryHandle* handle : handles)
        memory.push_back(handle->memory);
    return memory;
}

std::vector<std::shared_ptr<Memory>> toMemory(py::handle objects, const char* argument,
                                              bool allowsEmpty) {
    return memoryOf(toMemoryHandles(objects, argument, allowsEmpty));
}

} // namespace kp::python
