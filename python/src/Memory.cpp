// SPDX-License-Identifier: Apache-2.0
#include "Memory.hpp"

#include "Arrays.hpp"
#include "Errors.hpp"
#include "Module.hpp"

namespace kp::python {
namespace {

/// Runs @p body, which uses the memory, without the GIL.
template <typename Body>
void withoutGil(MemoryHandle& handle, Body&& body) {
    const Use useMemory(handle);
    const Use useManager(*handle.manager);
    const py::gil_scoped_release release;
    const std::lock_guard lock(handle.transfers);
    body();
}

/// Start of the host view, brought up to date.
void* hostView(MemoryHandle& handle) {
    if (handle.memory->isInit() && handle.memory->memoryType() == Memory::MemoryTypes::eStorage)
        throw py::value_error("storage memory has no host view; use read() and write(), or copy it "
                              "with OpCopy to device or host memory");
    if (!handle.memory->hostViewReady() || handle.users > 0)
        withoutGil(handle, [&handle] { handle.memory->rawData(); });
    // Views stay readable and writable after destroy().
    handle.memory->keepHostView();
    return handle.memory->rawData();
}

py::object flatView(py::handle self) {
    MemoryHandle& handle = handleOf<MemoryHandle>(self);
    void* const data = hostView(handle);
    return makeView(data, handle.dtype, {static_cast<py::ssize_t>(handle.memory->size())}, self);
}

py::object shapedView(py::handle self) {
    MemoryHandle& handle = handleOf<MemoryHandle>(self);
    void* const data = hostView(handle);
    return makeView(data, handle.dtype, handle.shape, self);
}

/// data() as CPython calls it: making the view is most of its time.
PyObject* data(PyObject* self, PyObject*) {
    return guarded([self] { return flatView(self).release().ptr(); });
}

int getBuffer(PyObject* self, Py_buffer* view, int flags) {
    PyObject* const array = guarded([self] { return shapedView(self).release().ptr(); });
    if (!array) {
        view->obj = nullptr;
        // What the protocol asks for.
        if (!PyErr_ExceptionMatches(PyExc_BufferError)) {
            PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
            PyErr_Fetch(&type, &value, &trace);
            PyErr_Format(PyExc_BufferError, "%S", value ? value : Py_None);
            Py_XDECREF(type);
            Py_XDECREF(value);
            Py_XDECREF(trace);
        }
        return -1;
    }
    const int result = PyObject_GetBuffer(array, view, flags);
    Py_DECREF(array);
    return result;
}

py::ssize_t itemOffset(const MemoryHandle& handle, py::handle offset) {
    const py::ssize_t value = toIndex(offset);
    if (value < 0 || static_cast<uint64_t>(value) > handle.memory->size())
        throw py::value_error("offset " + std::to_string(value) + " is outside of the " +
                              std::to_string(handle.memory->size()) + " elements");
    return value;
}

/// Numbers that an element cannot hold are refused: a fraction for an integer, and what NumPy would
/// not cast either.
void requireFit(const py::object& values, const py::dtype& element) {
    static const py::handle numpy = py::module_::import("numpy").release();
    const bool array = py::isinstance<py::array>(values);
    if (!array && !PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr()) &&
        !PyFloat_Check(values.ptr()))
        return;
    const py::dtype given = numpy.attr("asarray")(values).attr("dtype");
    // The numbers of a list have a kind, but no size that was meant.
    const bool fits = array ? py::cast<bool>(numpy.attr("can_cast")(given, element, "same_kind"))
                            : given.kind() != 'f' || element.kind() == 'f' || element.kind() == 'c';
    if (!fits)
        throw py::type_error("data has dtype '" + nameOf(given) +
                             "', which does not fit a tensor of '" + nameOf(element) + "'");
}

void write(py::handle self, const py::object& values, const py::object& offset) {
    MemoryHandle& handle = handleOf<MemoryHandle>(self);
    requireFit(values, handle.dtype);
    const py::array array = toArray(values, handle.dtype, "data");
    const py::ssize_t first = itemOffset(handle, offset);
    const uint64_t room = handle.memory->size() - static_cast<uint64_t>(first);
    if (static_cast<uint64_t>(array.size()) > room)
        throw py::value_error("data has " + std::to_string(array.size()) + " elements, but only " +
                              std::to_string(room) + " fit at offset " + std::to_string(first));
    const void* const source = array.data();
    const auto bytes = static_cast<uint64_t>(array.nbytes());
    withoutGil(handle, [&] {
        handle.memory->upload(source, bytes,
                              static_cast<uint64_t>(first) * handle.memory->dataTypeMemorySize());
    });
}

/// The array that read() fills.
py::array destinationOf(const py::object& out, const MemoryHandle& handle,
                        const std::vector<py::ssize_t>& shape) {
    if (out.is_none())
        return py::array(handle.dtype, shape);
    if (!py::isinstance<py::array>(out))
        throw py::type_error("out is a NumPy array");
    auto array = py::cast<py::array>(out);
    if (!(array.flags() & py::array::c_style) || !array.writeable())
        throw py::value_error("out must be a C-contiguous, writable array");
    if (!array.dtype().equal(handle.dtype))
        throw py::value_error("out has dtype '" + nameOf(array.dtype()) + "', but the memory '" +
                              nameOf(handle.dtype) + "'");
    if (array.size() != countOf(shape))
        throw py::value_error("out has " + std::to_string(array.size()) + " elements, but " +
                              std::to_string(countOf(shape)) + " are read");
    return array;
}

py::array read(py::handle self, const py::object& offset, const py::object& count,
               const py::object& out) {
    MemoryHandle& handle = handleOf<MemoryHandle>(self);
    const py::ssize_t first = itemOffset(handle, offset);
    const auto room = static_cast<py::ssize_t>(handle.memory->size()) - first;
    py::ssize_t wanted = room;
    if (!count.is_none()) {
        wanted = toIndex(count);
        if (wanted < 0 || wanted > room)
            throw py::value_error("count " + std::to_string(wanted) + " is not within the " +
                                  std::to_string(room) + " elements from offset " +
                                  std::to_string(first));
    }
    if (!handle.memory->isInit())
        handle.memory->rawData(); // says what is wrong
    const bool whole = first == 0 && wanted == static_cast<py::ssize_t>(handle.memory->size());
    py::array array =
        destinationOf(out, handle, whole ? handle.shape : std::vector<py::ssize_t>{wanted});
    void* const target = array.mutable_data();
    withoutGil(handle, [&] {
        const uint64_t item = handle.memory->dataTypeMemorySize();
        handle.memory->download(target, static_cast<uint64_t>(wanted) * item,
                                static_cast<uint64_t>(first) * item);
    });
    return array;
}

void destroy(py::handle self) {
    MemoryHandle& handle = handleOf<MemoryHandle>(self);
    requireUnused(handle, handle.image() ? "image" : "tensor");
    handle.memory->destroy();
}

py::object toNumpy(py::handle self, const py::object& dtype, const py::object& copy) {
    const py::object view = shapedView(self);
    const bool converts =
        !dtype.is_none() && !py::dtype::from_args(dtype).equal(handleOf<MemoryHandle>(self).dtype);
    if (converts) {
        if (!copy.is_none() && !py::cast<bool>(copy))
            throw py::value_error("copy=False was asked for, but another dtype needs a copy");
        return view.attr("astype")(dtype);
    }
    return !copy.is_none() && py::cast<bool>(copy) ? view.attr("copy")() : view;
}

py::tuple shapeOf(py::handle self) {
    const MemoryHandle& handle = handleOf<MemoryHandle>(self);
    py::tuple shape(handle.shape.size());
    for (size_t i = 0; i < handle.shape.size(); ++i)
        shape[i] = handle.shape[i];
    return shape;
}

std::string describe(py::handle self) {
    MemoryHandle& handle = handleOf<MemoryHandle>(self);
    std::string text = std::string("<kp.") + (handle.image() ? "Image" : "Tensor");
    if (!handle.memory->isInit())
        return text + " destroyed>";
    text += " shape=" + py::cast<std::string>(py::repr(shapeOf(self)));
    text += " dtype=" + nameOf(handle.dtype);
    text += " memory_type=" + inPythonSpelling(Memory::toString(handle.memory->memoryType()));
    return text + ">";
}

PyMethodDef gData = {
    "data", data, METH_NOARGS,
    "data(self: kp._kp.Memory) -> numpy.ndarray\n\n"
    "The host view as a flat, writable array without a copy. Its base is this\n"
    "object. The device sees what is written after OpSyncDevice (device memory) or\n"
    "at the next evaluation (host and deviceAndHost memory). Views of destroyed\n"
    "memory keep what they showed last. ValueError for storage memory."};

} // namespace

py::custom_type_setup memoryTypeSetup() {
    return py::custom_type_setup([](PyHeapTypeObject* type) {
        type->ht_type.tp_as_buffer = &type->as_buffer;
        type->as_buffer.bf_getbuffer = getBuffer;
        type->as_buffer.bf_releasebuffer = nullptr; // the array behind the view does that
    });
}

py::list toList(py::handle objects, const char* argument) {
    if (objects.is_none())
        return py::list();
    PyObject* const list = PySequence_List(objects.ptr());
    if (!list && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        throw py::type_error(std::string(argument) + " is a list of tensors and images, not a " +
                             Py_TYPE(objects.ptr())->tp_name);
    }
    if (!list)
        throw py::error_already_set();
    return py::reinterpret_steal<py::list>(list);
}

std::vector<MemoryHandle*> toMemoryHandles(py::handle objects, const char* argument) {
    requireThisProcess();
    PyObject* const sequence = PySequence_Fast(objects.ptr(), "");
    if (!sequence) {
        PyErr_Clear();
        throw py::type_error(std::string(argument) + " is a list of tensors and images, not a " +
                             Py_TYPE(objects.ptr())->tp_name);
    }
    const auto held = py::reinterpret_steal<py::object>(sequence);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    std::vector<MemoryHandle*> handles;
    handles.reserve(static_cast<size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(sequence, i);
        MemoryHandle* const handle =
            PyObject_TypeCheck(item, gType<MemoryHandle>) ? pointerOf<MemoryHandle>(item) : nullptr;
        if (!handle)
            throw py::type_error(std::string(argument) + "[" + std::to_string(i) +
                                 "] is a tensor or an image, not a " + Py_TYPE(item)->tp_name);
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

std::vector<std::shared_ptr<Memory>> toMemory(py::handle objects, const char* argument) {
    return memoryOf(toMemoryHandles(objects, argument));
}

void bindMemory(Classes& classes) {
    auto& memory = classes.memory;
    memory.attr("data") = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(memory.ptr()), &gData));
    memory.def("numpy", &shapedView, "The host view with this object's shape; see data().")
        .def(
            "size", [](py::handle self) { return handleOf<MemoryHandle>(self).memory->size(); },
            "Number of elements; 0 after destroy().")
        .def("__len__", [](py::handle self) { return handleOf<MemoryHandle>(self).memory->size(); })
        .def_property_readonly("shape", &shapeOf,
                               "Extents. An image's are height, width and channels.")
        .def_property_readonly(
            "dtype", [](py::handle self) { return handleOf<MemoryHandle>(self).dtype; },
            "What an element is, for NumPy.")
        .def_property_readonly(
            "nbytes",
            [](py::handle self) { return handleOf<MemoryHandle>(self).memory->memorySize(); },
            "Bytes in all.")
        .def(
            "memory_type",
            [](py::handle self) { return handleOf<MemoryHandle>(self).memory->memoryType(); },
            "Where the memory lives: a kp.MemoryTypes.")
        .def(
            "tensor_type",
            [](py::handle self) { return handleOf<MemoryHandle>(self).memory->memoryType(); },
            "memory_type(); the name of Kompute 0.9.0.")
        .def(
            "data_type",
            [](py::handle self) { return handleOf<MemoryHandle>(self).memory->dataType(); },
            "What an element is: a kp.DataTypes.")
        .def(
            "is_init",
            [](py::handle self) { return handleOf<MemoryHandle>(self).memory->isInit(); },
            "False once this object or its manager was destroyed.")
        .def("destroy", &destroy,
             "Frees the device memory, after the work that uses it. A second call does nothing.")
        .def(
            "set_name",
            [](py::handle self, const std::string& name) {
                handleOf<MemoryHandle>(self).memory->setName(name);
            },
            py::arg("name"), "Names the memory in validation messages and captures.")
        .def(
            "write", &write, py::arg("data"), py::arg("offset") = py::int_(0),
            "Copies any array-like straight to the device memory, whatever the memory type, after\n"
            "all evaluations started before. `offset` counts elements.")
        .def("read", &read, py::arg("offset") = py::int_(0), py::arg("count") = py::none(),
             py::arg("out") = py::none(),
             "Copies device memory to a new array, or to `out`, after the evaluations started "
             "before\n"
             "that write it. `offset` and `count` are in elements.")
        .def("__getitem__",
             [](py::handle self, const py::object& index) {
                 return py::object(flatView(self)[index]);
             })
        .def("__setitem__", [](py::handle self, const py::object& index,
                               const py::object& value) { flatView(self)[index] = value; })
        .def("__iter__", [](py::handle self) { return py::iter(flatView(self)); })
        .def("__array__", &toNumpy, py::arg("dtype") = py::none(), py::arg("copy") = py::none())
        .def("__dlpack__",
             [](py::handle self, const py::kwargs& options) {
                 return shapedView(self).attr("__dlpack__")(**options);
             })
        .def("__dlpack_device__",
             [](py::handle self) { return shapedView(self).attr("__dlpack_device__")(); })
        .def("__repr__", &describe);

    const auto imageOf = [](py::handle self) -> Image& {
        return *handleOf<MemoryHandle>(self).image();
    };
    classes.image
        .def_property_readonly(
            "width", [imageOf](py::handle self) { return imageOf(self).getX(); },
            "Texels in a row.")
        .def_property_readonly(
            "height", [imageOf](py::handle self) { return imageOf(self).getY(); }, "Rows.")
        .def_property_readonly(
            "num_channels", [imageOf](py::handle self) { return imageOf(self).getNumChannels(); },
            "Channels of a texel.");
}

} // namespace kp::python
