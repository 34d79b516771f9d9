// SPDX-License-Identifier: Apache-2.0
#include "arrays/Array.hpp"

#include <cstddef>

#include <structmember.h>

#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/NumberType.hpp>

#include "arrays/ArrayEngine.hpp"
#include "arrays/ArrayFunctions.hpp"
#include "arrays/ArrayOperators.hpp"
#include "arrays/Arrays.hpp"
#include "arrays/Capture.hpp"
#include "base/Arrays.hpp"
#include "base/Held.hpp"
#include "base/Signatures.hpp"
#include "base/Waiting.hpp"
#include "core/Classes.hpp"

namespace kp::python {
namespace {

std::shared_ptr<ManagerHandle> managerOf(const Array& array) {
    const auto handle = std::static_pointer_cast<ManagerHandle>(arrays::ownerOf(array));
    if (!handle)
        throw InvalidArgument("this manager was destroyed, and with it the array's memory");
    return handle;
}

/// Runs work of an array without the GIL, while its manager is not destroyed.
template <typename Body>
auto working(const Array& array, Body&& body) {
    requireThisProcess();
    const std::shared_ptr<ManagerHandle> manager = managerOf(array);
    return withoutGil(*manager, body);
}

void readInto(const Array& array, py::array& out) {
    requireThisProcess();
    const std::shared_ptr<ManagerHandle> manager = managerOf(array);
    const Use use(*manager);
    void* const target = out.mutable_data();
    transferBetweenSignals(*manager->manager, [&] { array.read(target); });
}

/// Returns the only element as a number of Python.
py::object itemOf(const Array& array) {
    requireThisProcess();
    const std::shared_ptr<ManagerHandle> manager = managerOf(array);
    const Use use(*manager);
    const auto read = [&]<typename T>(T value) -> py::object {
        transferBetweenSignals(*manager->manager, [&] { value = array.item<T>(); });
        return py::cast(value);
    };
    switch (numberType(array.dtype()).family) {
    case 'b':
        return read(false);
    case 'i':
        return read(int64_t{});
    case 'u':
        return read(uint64_t{});
    case 'f':
        return read(double{});
    default:
        break;
    }
    const auto readParts = [&]<typename T>(T) {
        T parts[2];
        transferBetweenSignals(*manager->manager, [&] { array.read(parts); });
        return py::reinterpret_steal<py::object>(
            PyComplex_FromDoubles(static_cast<double>(parts[0]), static_cast<double>(parts[1])));
    };
    return array.dtype() == DType::eComplex64 ? readParts(float{}) : readParts(double{});
}

/// Returns the object of a tensor that is the memory of an array, flat unless @p given.
py::object tensorObject(const Array& array, const std::shared_ptr<Tensor>& tensor,
                        bool given = false) {
    const std::shared_ptr<void> known = arrays::handleOf(array);
    const auto asObject = [](const std::shared_ptr<void>& held) {
        return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(held.get()));
    };
    if (known && (given || handleOf<TensorHandle>(asObject(known)).shape.size() == 1))
        return asObject(known);
    auto handle = std::make_unique<TensorHandle>();
    handle->manager = managerOf(array);
    handle->dtype = py::reinterpret_borrow<py::dtype>(numpyType(array.dtype()));
    handle->shape = {static_cast<py::ssize_t>(tensor->size())};
    handle->memory = tensor;
    handle->shared = known && handleOf<TensorHandle>(asObject(known)).shared;
    return py::cast(std::move(handle));
}

/// Returns a tensor with the elements in C order, which the caller may keep.
py::object givenTensor(const Array& array) {
    const std::shared_ptr<Tensor> tensor = working(array, [&] { return array.tensor(); });
    const Array owner = arrays::whole(array);
    py::object object = tensorObject(owner, tensor, true);
    if (!arrays::handleOf(owner))
        arrays::setHandle(owner, hold(object));
    return object;
}

/// Returns an array in the memory of a tensor, in its shape unless another is @p wanted.
Array sharing(py::handle object, const py::object& dtype, bool given, const py::object& wanted) {
    auto& handle = handleOf<TensorHandle>(object, "tensor");
    py::object manager = py::cast(handle.manager);
    Manager& owner = managerOfArrays(manager);
    Shape shape;
    if (!wanted.is_none())
        shape = shapeFrom(wanted);
    else
        for (const py::ssize_t extent : handle.shape)
            shape.push_back(extent);
    const DType type = arrayType(dtype);
    if (!given)
        return arrays::owning(handle.tensor(), owner, shape, type);
    Array array = Array::in(handle.tensor(), owner, shape, type);
    arrays::setHandle(array, hold(object));
    return array;
}

/// Returns an array in a new tensor, and the tensor.
py::tuple newTensor(py::handle object, py::handle shape, py::handle dtype) {
    const auto manager = sharedOf<ManagerHandle>(object);
    Manager& owner = managerOfArrays(object);
    const Shape extents = shapeFrom(shape);
    const DType type = arrayType(dtype);
    auto handle = newMemory<TensorHandle>(
        manager, py::reinterpret_borrow<py::dtype>(numpyType(type)),
        {extents.begin(), extents.end()}, [&](Manager& maker) {
            return maker.tensor(static_cast<uint64_t>(extents.product()), itemSize(type),
                                dataTypeOf(type), Memory::MemoryTypes::eDevice);
        });
    Array array = arrays::owning(handle->tensor(), owner, extents, type);
    return py::make_tuple(std::move(array), std::move(handle));
}

Array uploaded(py::handle manager, const py::array& values) {
    Manager& owner = managerOfArrays(manager);
    const auto handle = sharedOf<ManagerHandle>(manager);
    Shape shape;
    for (py::ssize_t axis = 0; axis < values.ndim(); ++axis)
        shape.push_back(values.shape(axis));
    const DType dtype = arrayType(values.dtype());
    const Use use(*handle);
    Array made;
    const void* const data = values.data();
    transferBetweenSignals(owner, [&] {
        made = Array::ofBytes(data, static_cast<size_t>(shape.product()), dtype, shape, &owner);
    });
    return made;
}

PyObject* refuseNew(PyTypeObject*, PyObject*, PyObject*) {
    PyErr_SetString(PyExc_TypeError,
                    "arrays are created by kp.array(), kp.zeros() and other functions");
    return nullptr;
}

void deallocate(PyObject* self) {
    auto* const object = reinterpret_cast<ArrayObject*>(self);
    if (object->weakReferences)
        PyObject_ClearWeakRefs(self);
    object->array.~Array();
    PyTypeObject* const type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject* makeType() {
    static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                                     offsetof(ArrayObject, weakReferences), READONLY, nullptr},
                                    {nullptr, 0, 0, 0, nullptr}};
    std::vector<PyType_Slot> slots = arrayOperators();
    slots.push_back({Py_tp_new, reinterpret_cast<void*>(refuseNew)});
    slots.push_back({Py_tp_dealloc, reinterpret_cast<void*>(deallocate)});
    slots.push_back({Py_tp_members, members});
    slots.push_back({0, nullptr});
    PyType_Spec spec = {"kp.Array", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT, slots.data()};
    PyObject* const type = PyType_FromSpec(&spec);
    if (!type)
        throw py::error_already_set();
    return reinterpret_cast<PyTypeObject*>(type);
}

/// Adds members to kp.Array as py::class_ does to its classes.
class ArrayClass {
public:
    explicit ArrayClass(PyTypeObject* type)
        : mType(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type))) {}

    const py::object& type() const { return mType; }
    template <typename Function, typename... Extra>
    void def(const char* name, Function&& function, const Extra&... extra) {
        mType.attr(name) = py::cpp_function(std::forward<Function>(function), py::name(name),
                                            py::is_method(mType), extra...);
    }
    template <typename Function, typename... Extra>
    void def_static(const char* name, Function&& function, const Extra&... extra) {
        mType.attr(name) = py::staticmethod(py::cpp_function(
            std::forward<Function>(function), py::name(name), py::scope(mType), extra...));
    }
    template <typename Function>
    void def_property_readonly(const char* name, Function&& function, const char* text = "") {
        const py::object property = py::module_::import("builtins").attr("property");
        const py::cpp_function getter(std::forward<Function>(function), py::is_method(mType));
        mType.attr(name) = property(getter, py::none(), py::none(), text);
    }

private:
    py::object mType;
};

} // namespace

PyObject* newArray(Array array) {
    PyObject* const object = gArrayType->tp_alloc(gArrayType, 0);
    if (!object)
        throw py::error_already_set();
    new (&reinterpret_cast<ArrayObject*>(object)->array) Array(std::move(array));
    return object;
}

void bindArray(py::module_& module) {
    gArrayType = makeType();
    ArrayClass type(gArrayType);
    module.attr("Array") = type.type();
    type.def_property_readonly(
        "shape", [](const Array& x) { return tupleOf(x.shape()); }, "Extents.");
    type.def_property_readonly("_shape", [](const Array& x) { return tupleOf(x.shape()); });
    type.def_property_readonly(
        "dtype", [](const Array& x) { return numpyType(x.dtype()); },
        "NumPy's type of an element.");
    type.def_property_readonly("_dtype", [](const Array& x) { return numpyType(x.dtype()); });
    type.def_property_readonly(
        "ndim", [](const Array& x) { return x.ndim(); }, "Number of axes.");
    type.def_property_readonly(
        "size", [](const Array& x) { return x.size(); }, "Number of elements.");
    type.def_property_readonly(
        "manager", [](const Array& x) { return managerOf(x); },
        "The manager that the memory belongs to.");
    type.def_property_readonly("_manager", [](const Array& x) { return managerOf(x); });
    type.def(
        "evaluate",
        [](py::object self) {
            const Array& x = arrayIn(self);
            working(x, [&] { x.evaluate(); });
            return self;
        },
        "Start computing the elements, if that has not happened yet. Returns the array at once.");
    type.def(
        "glsl", [](const Array& x) { return working(x, [&] { return x.glsl(); }); },
        "Return the shader that computes this array, or copies it if it is computed already.");
    type.def(
        "copy", [](const Array& x) { return working(x, [&] { return x.copy(); }); },
        "Return a copy that shares no memory.");

    // For the functions of arrays.
    type.def_property_readonly("_is_evaluated", [](const Array& x) { return x.isEvaluated(); });
    type.def_property_readonly("_strides", [](const Array& x) { return tupleOf(x.strides()); });
    type.def_property_readonly(
        "_offset", [](const Array& x) { return working(x, [&] { return x.offset(); }); });
    type.def_property_readonly(
        "_writable", [](const Array& x) { return working(x, [&] { return x.isWritable(); }); });
    type.def("_is_contiguous",
             [](const Array& x) { return working(x, [&] { return x.isContiguous(); }); });
    type.def("_is_whole", [](const Array& x) { return working(x, [&] { return x.isWhole(); }); });
    type.def(
        "_strided",
        [](const Array& x, py::handle offset, py::handle shape, py::handle strides, bool writable) {
            const Shape extents = shapeFrom(shape);
            const Shape steps = shapeFrom(strides);
            const auto first = static_cast<int64_t>(toIndex(offset));
            return working(x, [&] { return x.strided(first, extents, steps, writable); });
        },
        "offset"_a, "shape"_a, "strides"_a, "writable"_a = true);
    type.def("_whole", [](const Array& x) { return working(x, [&] { return arrays::whole(x); }); });
    type.def("_contiguous",
             [](const Array& x) { return working(x, [&] { return arrays::contiguous(x); }); });
    type.def("_viewed", [](const Array& x, py::handle dtype) {
        const DType wanted = arrayType(dtype);
        return working(x, [&] { return x.view(wanted); });
    });
    type.def("_cast", [](const Array& x, py::handle dtype) { return x.astype(arrayType(dtype)); });
    type.def("_memory", [](const Array& x) {
        return tensorObject(x, working(x, [&] { return arrays::memoryOf(x); }));
    });
    type.def("_tensor", [](py::object self, py::handle shape) {
        const Array& x = arrayIn(self);
        const std::shared_ptr<Tensor> tensor = working(x, [&] { return arrays::memoryOf(x); });
        auto handle = std::make_unique<TensorHandle>();
        handle->manager = managerOf(x);
        handle->dtype = py::reinterpret_borrow<py::dtype>(numpyType(x.dtype()));
        for (const int64_t extent : shapeFrom(shape))
            handle->shape.push_back(extent);
        handle->empty = countOf(handle->shape) == 0;
        handle->memory = tensor;
        handle->owner = std::move(self);
        return py::cast(std::move(handle));
    });
    type.def_property_readonly("_memory_id", [](const Array& x) {
        return reinterpret_cast<uintptr_t>(working(x, [&] { return arrays::memoryKeyOf(x); }));
    });
    type.def_property_readonly("_memory_count", [](const Array& x) {
        return working(x, [&] { return arrays::memoryOf(x)->size(); });
    });
    type.def("_keep", [](const Array& x) { arrays::keepMemory(x); });
    type.def("_given", [](const Array& x) { return givenTensor(x); });
    type.def("_item", [](const Array& x) { return itemOf(x); });
    type.def("_read", [](const Array& x, py::array& out) { readInto(x, out); });
    type.def("_become", [](const Array& x, const Array& value) { arrays::become(x, value); });
    type.def_property_readonly("_alone", [](const Array& x) { return arrays::isAlone(x); });
    type.def("_before_write", [](const Array& x) { working(x, [&] { arrays::beforeWrite(x); }); });
    type.def_static("_in", &sharing, "tensor"_a, "dtype"_a, "given"_a, "shape"_a = py::none());
    type.def_static("_new_tensor", &newTensor, "manager"_a, "shape"_a, "dtype"_a);
    type.def_static("_uploaded", &uploaded, "manager"_a, "values"_a);
    addClassSignatures(type.type());
    bindArrayOperators(module);
    bindArrayEngine(module);
    bindArrayFunctions(module);
    bindCapture(module);
}

} // namespace kp::python
