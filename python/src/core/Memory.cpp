// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <chrono>
#include <mutex>
#include <utility>

#include "base/Arrays.hpp"
#include "base/Errors.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"

namespace kp::python {
namespace {

/// Runs @p body, a transfer of the memory that may be repeated, without the GIL.
template <typename Body>
void transfer(MemoryHandle& handle, Body&& body) {
    const Use use(handle);
    const Use useManager(*handle.manager);
    transferBetweenSignals(*handle.manager->manager, [&] {
        const std::lock_guard lock(handle.transfers);
        body();
    });
}

/// Returns the start of the up-to-date host view.
void* hostView(MemoryHandle& handle) {
    if (handle.memory->isInit() && handle.memory->memoryType() == Memory::MemoryTypes::eStorage)
        throw py::value_error("storage memory has no host view; use read() and write(), or copy it "
                              "with OpCopy to device or host memory");
    requireOpen(*handle.manager); // the library does not count these calls
    if (!handle.memory->hostViewReady() || handle.users > 0)
        transfer(handle, [&handle] { handle.memory->rawData(); });
    handle.memory->keepHostView(); // views stay readable and writable after destroy()
    return handle.memory->rawData();
}

/// Returns true if the host view has four channels of which Python shows three.
bool hidesChannel(const MemoryHandle& handle) {
    const Image* const image = handle.image();
    return image && image->getNumChannels() != channelsOf(image->getOptions().format);
}

py::object flatView(py::handle self) {
    auto& handle = handleOf<MemoryHandle>(self);
    if (hidesChannel(handle))
        throw py::value_error("the host view of an image with 3 channels has a fourth one, so "
                              "there is no flat array of it; use numpy(), or read() for a copy");
    void* const data = hostView(handle);
    return makeView(data, handle.dtype, {static_cast<py::ssize_t>(handle.size())}, self);
}

py::object shapedView(py::handle self) {
    auto& handle = handleOf<MemoryHandle>(self);
    if (!hidesChannel(handle))
        return makeView(hostView(handle), handle.dtype, handle.shape, self);
    std::vector<py::ssize_t> shape = handle.shape;
    const py::ssize_t shown = std::exchange(shape.back(), 4);
    const py::object all = makeView(hostView(handle), handle.dtype, shape, self);
    return all[py::make_tuple(py::ellipsis(), py::slice(0, shown, 1))];
}

/// Method data(), called by CPython directly: creating the view is most of its time.
PyObject* dataMethod(PyObject* self, PyObject*) {
    return guarded([self] { return flatView(self).release().ptr(); });
}

/// The object whose buffer was asked for last, if Ctrl-C interrupted that, and when. NumPy ignores
/// a buffer's exceptions and asks for the array in two other ways next, which would wait again.
/// Guarded by the GIL.
const PyObject* gInterrupted = nullptr;
std::chrono::steady_clock::time_point gInterruptedAt;

void raiseIfInterrupted(py::handle self) {
    // Later requests are independent.
    constexpr auto kAtOnce = std::chrono::milliseconds(50);
    if (gInterrupted != self.ptr() || std::chrono::steady_clock::now() - gInterruptedAt > kAtOnce)
        return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
}

int getBuffer(PyObject* self, Py_buffer* view, int flags) {
    gInterrupted = nullptr;
    PyObject* const array = guarded([self] { return shapedView(self).release().ptr(); });
    if (!array) {
        view->obj = nullptr;
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
            gInterrupted = self;
            gInterruptedAt = std::chrono::steady_clock::now();
        } else if (!PyErr_ExceptionMatches(PyExc_BufferError)) { // which the protocol requires
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
    if (value < 0 || static_cast<uint64_t>(value) > handle.size())
        throw py::value_error(
            formatted("offset {} is outside of the {} elements", value, handle.size()));
    return value;
}

std::vector<py::ssize_t> withoutOnes(std::vector<py::ssize_t> shape) {
    std::erase(shape, 1);
    return shape;
}

/// Refuses to write a whole from data of another shape. Flat data has the elements in C order.
void requireWhole(const MemoryHandle& handle, const py::array& array) {
    const std::vector<py::ssize_t> given(array.shape(), array.shape() + array.ndim());
    if (static_cast<uint64_t>(array.size()) != handle.size())
        throw py::value_error(
            formatted("data has {} {}, but the {} has {}; give an offset to write "
                      "a part of it, as in write(data, offset=0)",
                      array.size(), array.size() == 1 ? "element" : "elements",
                      handle.image() ? "image" : "tensor", handle.size()));
    if (given.size() > 1 && handle.shape.size() > 1 &&
        withoutOnes(given) != withoutOnes(handle.shape))
        throw py::value_error(
            formatted("data has shape {}, but the {} has {}; reshape or transpose "
                      "the data",
                      reprOf(toTuple(given)), handle.image() ? "image" : "tensor",
                      reprOf(toTuple(handle.shape))));
}

void writeMemory(py::handle self, const py::object& values, const py::object& offset, bool cast) {
    auto& handle = handleOf<MemoryHandle>(self);
    const py::array array = toArray(values, handle.dtype, "data", cast);
    if (offset.is_none() && handle.memory->isInit())
        requireWhole(handle, array);
    const py::ssize_t first = offset.is_none() ? 0 : itemOffset(handle, offset);
    const uint64_t room = handle.size() - static_cast<uint64_t>(first);
    if (static_cast<uint64_t>(array.size()) > room && handle.memory->isInit())
        throw py::value_error(formatted("data has {} elements, but only {} fit at offset {}",
                                        array.size(), room, first));
    if (handle.empty)
        return;
    const void* const source = array.data();
    const auto bytes = static_cast<uint64_t>(array.nbytes());
    const uint64_t start = static_cast<uint64_t>(first) * handle.memory->dataTypeMemorySize();
    transfer(handle, [&] { handle.memory->upload(source, bytes, start); });
}

/// Returns the array that read() fills.
py::array destinationOf(const py::object& out, const MemoryHandle& handle,
                        const std::vector<py::ssize_t>& shape) {
    if (out.is_none())
        return py::array(handle.dtype, shape);
    if (!py::isinstance<py::array>(out))
        throwTypeError("out", "a NumPy array", out);
    auto array = py::cast<py::array>(out);
    if (!(array.flags() & py::array::c_style) || !array.writeable())
        throw py::value_error("out must be a C-contiguous, writable array");
    if (!array.dtype().equal(handle.dtype))
        throw py::value_error(formatted("out has dtype '{}', but the memory '{}'",
                                        nameOf(array.dtype()), nameOf(handle.dtype)));
    if (array.size() != countOf(shape))
        throw py::value_error(
            formatted("out has {} elements, but {} are read", array.size(), countOf(shape)));
    return array;
}

py::array readMemory(py::handle self, const py::object& offset, const py::object& count,
                     const py::object& out) {
    auto& handle = handleOf<MemoryHandle>(self);
    const py::ssize_t first = itemOffset(handle, offset);
    const auto room = static_cast<py::ssize_t>(handle.size()) - first;
    py::ssize_t wanted = room;
    if (!count.is_none()) {
        wanted = toIndex(count);
        if (wanted < 0 || wanted > room)
            throw py::value_error(formatted("count {} is not within the {} elements from offset {}",
                                            wanted, room, first));
    }
    if (!handle.memory->isInit())
        handle.memory->rawData(); // throws
    const bool whole = first == 0 && wanted == static_cast<py::ssize_t>(handle.size());
    py::array array =
        destinationOf(out, handle, whole ? handle.shape : std::vector<py::ssize_t>{wanted});
    if (handle.empty)
        return array;
    void* const target = array.mutable_data();
    const uint64_t item = handle.memory->dataTypeMemorySize();
    transfer(handle, [&] {
        handle.memory->download(target, static_cast<uint64_t>(wanted) * item,
                                static_cast<uint64_t>(first) * item);
    });
    return array;
}

void destroyMemory(py::handle self) {
    auto& handle = handleOf<MemoryHandle>(self);
    requireUnused(handle, handle.image() ? "image" : "tensor");
    handle.memory->destroy();
}

py::object toNumpy(py::handle self, const py::object& dtype, const py::object& copy) {
    raiseIfInterrupted(self);
    const py::object view = shapedView(self);
    const bool copies = !copy.is_none() && py::cast<bool>(copy);
    if (dtype.is_none() || py::dtype::from_args(dtype).equal(handleOf<MemoryHandle>(self).dtype))
        return copies ? view.attr("copy")() : view;
    if (!copy.is_none() && !copies)
        throw py::value_error("copy=False was given, but another dtype needs a copy");
    return view.attr("astype")(dtype);
}

py::tuple shapeOf(py::handle self) {
    return toTuple(handleOf<MemoryHandle>(self).shape);
}

std::string describeMemory(py::handle self) {
    const auto& handle = handleOf<MemoryHandle>(self);
    const char* const name = handle.image() ? "Image" : "Tensor";
    if (!handle.memory->isInit())
        return formatted("<kp.{} destroyed>", name);
    return formatted("<kp.{} shape={} dtype={} memory_type={}>", name, reprOf(shapeOf(self)),
                     nameOf(handle.dtype),
                     inPythonSpelling(Memory::toString(handle.memory->memoryType())));
}

py::object onlyItem(py::handle self) {
    auto& handle = handleOf<MemoryHandle>(self);
    if (handle.memory->isInit() && handle.size() != 1)
        throw py::value_error(
            formatted("item() is for memory with one element, and this has {}", handle.size()));
    if (handle.memory->memoryType() == Memory::MemoryTypes::eStorage)
        return readMemory(self, py::int_(0), py::none(), py::none()).attr("item")();
    return flatView(self).attr("item")();
}

/// Returns the elements of memory of any type, as they are on the host.
py::object elementsOf(py::handle self) {
    const auto& handle = handleOf<MemoryHandle>(self);
    if (handle.memory->memoryType() == Memory::MemoryTypes::eStorage)
        return readMemory(self, py::int_(0), py::none(), py::none());
    return shapedView(self);
}

bool isArrayLike(py::handle object) {
    return isA<MemoryHandle>(object) || py::isinstance<py::array>(object) ||
           PyNumber_Check(object.ptr()) || PyList_Check(object.ptr()) ||
           PyTuple_Check(object.ptr());
}

/// Compares elements, as NumPy's arrays do. Everything but arrays and numbers is different.
py::object compare(py::handle self, py::handle other, int operation) {
    if (!isArrayLike(other))
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    const py::object right =
        isA<MemoryHandle>(other) ? elementsOf(other) : py::reinterpret_borrow<py::object>(other);
    PyObject* const result = PyObject_RichCompare(elementsOf(self).ptr(), right.ptr(), operation);
    if (!result)
        throw py::error_already_set();
    return py::reinterpret_steal<py::object>(result);
}

/// The protocol of libraries that do not know the buffer protocol. To them, an image of one channel
/// has two axes.
py::object arrayInterface(py::handle self) {
    raiseIfInterrupted(self);
    py::object view = shapedView(self);
    const auto& handle = handleOf<MemoryHandle>(self);
    if (handle.image() && handle.shape.back() == 1)
        view = view.attr("reshape")(handle.shape[0], handle.shape[1]);
    return view.attr("__array_interface__");
}

Memory& memoryIn(py::handle self) {
    return *handleOf<MemoryHandle>(self).memory;
}

/// Method is_init(), called by CPython directly: arrays ask whenever memory is freed.
PyObject* isInitMethod(PyObject* self, PyObject*) {
    return guarded([self] { return PyBool_FromLong(memoryIn(self).isInit()); });
}

/// Method can_be_reused(), called by CPython directly: arrays ask whenever memory is freed.
PyObject* canBeReusedMethod(PyObject* self, PyObject*) {
    return guarded([self] { return PyBool_FromLong(memoryIn(self).canBeReused()); });
}

PyMethodDef gCanBeReused = {"can_be_reused", canBeReusedMethod, METH_NOARGS,
                            methodDoc("can_be_reused", "(self: kp._kp.Memory) -> bool", R"(
    True if all work submitted from now on follows all launches that use the memory: it is not
    destroyed, and no launch of this process waits for the host. A pool of memory asks it before it
    gives this memory to others.)")};

PyMethodDef gIsInit = {"is_init", isInitMethod, METH_NOARGS,
                       methodDoc("is_init", "(self: kp._kp.Memory) -> bool",
                                 "False once this object or its manager is destroyed.")};

PyMethodDef gData = {"data", dataMethod, METH_NOARGS,
                     methodDoc("data", "(self: kp._kp.Memory) -> numpy.ndarray", R"(
    The host view as a flat, writable array without a copy, with what evaluations have written. Its
    base is this object. The next evaluation that reads the memory sees written values; device memory
    that the program synchronises itself needs OpSyncDevice (docs/reference/memory-types.md). Views
    of destroyed memory keep their last contents. ValueError for storage memory.)")};

} // namespace

py::custom_type_setup memoryTypeSetup() {
    return py::custom_type_setup([](PyHeapTypeObject* type) {
        type->ht_type.tp_as_buffer = &type->as_buffer;
        type->as_buffer.bf_getbuffer = getBuffer;
        type->as_buffer.bf_releasebuffer = nullptr; // the array behind the view releases it
    });
}

void bindMemory(Classes& classes) {
    addMethod(classes.memory, gData);
    addMethod(classes.memory, gIsInit);
    addMethod(classes.memory, gCanBeReused);
    Members(classes.memory,
            [](py::handle self) -> MemoryHandle& { return handleOf<MemoryHandle>(self); })
        .method("size", &MemoryHandle::size, "Number of elements; 0 after destroy().")
        .method("__len__", &MemoryHandle::size,
                "size(), as in Kompute. NumPy's arrays have shape[0] instead.")
        .property(
            "nbytes",
            [](const MemoryHandle& handle) -> uint64_t {
                return handle.empty ? 0 : handle.memory->memorySize();
            },
            "Bytes in all.");
    Members(classes.memory, memoryIn)
        .def("numpy", &shapedView, "The host view with this object's shape; see data().")
        .property("shape", &shapeOf, "Extents. An image's are height, width and channels.")
        .property(
            "dtype", [](py::handle self) { return handleOf<MemoryHandle>(self).dtype; },
            "The NumPy type of an element.")
        .property(
            "manager", [](py::handle self) { return handleOf<MemoryHandle>(self).manager; },
            "The manager that created this object.")
        .method("device_has_contents", &Memory::deviceHasContents, doc(R"(
            False if neither write() nor an operation has written the device memory, so that its
            contents are undefined.)"))
        .def("item", &onlyItem, "The element of memory that has only one, as a Python number.")
        .method("memory_type", &Memory::memoryType, "The place of the memory: a kp.MemoryTypes.")
        .method("tensor_type", &Memory::memoryType, "memory_type(); the name of Kompute 0.9.0.")
        .method("data_type", static_cast<Memory::DataTypes (Memory::*)() const>(&Memory::dataType),
                "The type of an element: a kp.DataTypes.")
        .def("destroy", &destroyMemory,
             "Frees the device memory, after the work that uses it. A second call does nothing.")
        .def(
            "set_name",
            [](py::handle self, const std::string& name) { memoryIn(self).setName(name); },
            "name"_a, "Names the memory in validation messages and captures.")
        .def("write", &writeMemory, "data"_a, "offset"_a = py::none(), py::kw_only(),
             "cast"_a = false, doc(R"(
                 Copies any array-like straight to the device memory, for every memory type, after
                 all earlier evaluations.

                 The data has as many elements, in this object's shape or flat. With an `offset`,
                 which counts elements, it may have fewer. Numbers that an integer cannot hold are
                 errors, unless `cast` permits NumPy's conversion.)"))
        .def("read", &readMemory, "offset"_a = py::int_(0), "count"_a = py::none(),
             "out"_a = py::none(), doc(R"(
                 Copies device memory to a new array, or to `out`, after the earlier evaluations
                 that write it. `offset` and `count` are in elements.)"))
        .def("__getitem__",
             [](py::handle self, const py::object& index) {
                 return py::object(shapedView(self)[index]);
             })
        .def("__setitem__",
             [](py::handle self, const py::object& index, const py::object& value) {
                 shapedView(self)[index] = value;
                 memoryIn(self).noteHostChange();
             })
        .def("__iter__", [](py::handle self) { return py::iter(shapedView(self)); })
        .def("__eq__",
             [](py::handle self, py::handle other) { return compare(self, other, Py_EQ); })
        .def("__ne__",
             [](py::handle self, py::handle other) { return compare(self, other, Py_NE); })
        // Of the object, not of its elements, which change.
        .def("__hash__", [](py::handle self) { return PyBaseObject_Type.tp_hash(self.ptr()); })
        .property("__array_interface__", &arrayInterface, "For libraries of images.")
        .def("__array__", &toNumpy, "dtype"_a = py::none(), "copy"_a = py::none())
        .def("__dlpack__",
             [](py::handle self, const py::kwargs& options) {
                 return ofPackage("dlpack")(self, **options);
             })
        .def("__dlpack_device__", [](py::handle self) { return ofPackage("dlpack_device")(self); })
        .def("__repr__", &describeMemory);
}

} // namespace kp::python
