// SPDX-License-Identifier: Apache-2.0
#include "arrays/Arrays.hpp"

#include <kompute/arrays/Engine.hpp>

namespace kp::python {
namespace {

/// NumPy's dtypes by DType. They last as long as the interpreter.
const std::array<PyObject*, kDTypes>& numpyTypes() {
    static const auto types = [] {
        std::array<PyObject*, kDTypes> made{};
        for (size_t index = 0; index < kDTypes; ++index)
            made[index] =
                py::dtype(std::string(toString(static_cast<DType>(index)))).release().ptr();
        return made;
    }();
    return types;
}

/// Returns a number that is an integer, in a type.
Operand integerFrom(PyObject* number, const DType* dtype) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow == 0) {
        if (value == -1 && PyErr_Occurred())
            throw py::error_already_set();
        return Operand(static_cast<int64_t>(value));
    }
    if (overflow > 0) {
        const unsigned long long large = PyLong_AsUnsignedLongLong(number);
        if (!PyErr_Occurred())
            return Operand(static_cast<uint64_t>(large));
        PyErr_Clear();
    }
    if (dtype && *dtype >= DType::eFloat16) {
        const double rounded = PyLong_AsDouble(number);
        if (rounded == -1 && PyErr_Occurred())
            throw py::error_already_set();
        return Operand(rounded);
    }
    PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
    throw py::error_already_set();
}

Operand numberFrom(PyObject* number, const DType* dtype) {
    if (PyBool_Check(number)) {
        const int value = number == Py_True ? 1 : 0;
        return dtype ? Operand(value) : Operand(value != 0);
    }
    if (PyFloat_Check(number))
        return Operand(PyFloat_AS_DOUBLE(number));
    if (PyLong_Check(number))
        return integerFrom(number, dtype);
    if (PyComplex_Check(number))
        return Operand::complex(PyComplex_RealAsDouble(number), PyComplex_ImagAsDouble(number));
    // A number of NumPy, or an array of one.
    if (py::hasattr(number, "item") && py::hasattr(number, "dtype")) {
        const py::object item = py::handle(number).attr("item")();
        if (dtype)
            return numberFrom(item.ptr(), dtype);
        const DType own = arrayType(py::handle(number).attr("dtype"));
        return Operand(own, numberFrom(item.ptr(), &own));
    }
    throwTypeError("an operand", "an array or a number", number);
}

} // namespace

py::object numpyType(DType dtype) {
    return py::reinterpret_borrow<py::object>(numpyTypes()[static_cast<size_t>(dtype)]);
}

DType arrayType(py::handle dtype) {
    const auto& types = numpyTypes();
    for (size_t index = 0; index < kDTypes; ++index)
        if (types[index] == dtype.ptr())
            return static_cast<DType>(index);
    for (size_t index = 0; index < kDTypes; ++index)
        if (py::handle(types[index]).equal(dtype))
            return static_cast<DType>(index);
    throw py::type_error(formatted("arrays hold bool, integers, floating-point and complex numbers "
                                   "up to 64 bits each, not {}",
                                   std::string(py::str(dtype))));
}

py::tuple tupleOf(const Shape& shape) {
    py::tuple tuple(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(axis),
                         PyLong_FromLongLong(shape[axis]));
    return tuple;
}

py::list listFrom(py::handle sequence) {
    auto list = py::reinterpret_steal<py::list>(PySequence_List(sequence.ptr()));
    if (!list)
        throw py::error_already_set();
    return list;
}

Shape shapeFrom(py::handle numbers) {
    Shape shape;
    const auto add = [&](PyObject* number) {
        const long long value = PyLong_AsLongLong(number);
        if (value == -1 && PyErr_Occurred())
            throw py::error_already_set();
        shape.push_back(value);
    };
    if (PyTuple_Check(numbers.ptr())) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers.ptr()); ++i)
            add(PyTuple_GET_ITEM(numbers.ptr(), i));
        return shape;
    }
    for (const py::handle each : listFrom(numbers))
        add(each.ptr());
    return shape;
}

Axes axesFrom(py::handle axes) {
    Axes found;
    found.all = false;
    for (const int64_t axis : shapeFrom(axes))
        found.axes.push_back(axis);
    return found;
}

void requireHeld(const Operand& number, DType dtype, py::handle given) {
    if (number.kind() != Operand::Kind::eInteger || dtype == DType::eBool ||
        dtype >= DType::eFloat16)
        return;
    const bool isSigned = (static_cast<int>(dtype) & 1) == 1;
    const size_t bits = 8 * itemSize(dtype);
    const uint64_t largest =
        isSigned ? (uint64_t{1} << (bits - 1)) - 1 : ~uint64_t{0} >> (64 - bits);
    const bool fits = number.isNegative() ? isSigned && ~number.integer() <= largest
                                          : number.integer() <= largest;
    if (fits)
        return;
    PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", given.ptr(),
                 toString(dtype));
    throw py::error_already_set();
}

Operand operandFrom(py::handle object) {
    if (isArray(object.ptr()))
        return arrayIn(object);
    if (!PyTuple_Check(object.ptr()))
        return numberFrom(object.ptr(), nullptr);
    if (PyTuple_GET_SIZE(object.ptr()) != 2)
        throw py::type_error("an operand is an array, a number, or a number and its dtype");
    const py::handle number = PyTuple_GET_ITEM(object.ptr(), 0);
    const DType dtype = arrayType(PyTuple_GET_ITEM(object.ptr(), 1));
    const Operand value = numberFrom(number.ptr(), &dtype);
    requireHeld(value, dtype, number);
    return Operand(dtype, value);
}

std::vector<Operand> operandsFrom(const py::sequence& objects) {
    std::vector<Operand> operands;
    for (const py::handle each : listFrom(objects))
        operands.push_back(operandFrom(each));
    return operands;
}

std::vector<Array> arraysFrom(const py::sequence& objects) {
    std::vector<Array> arrays;
    for (const py::handle each : listFrom(objects)) {
        if (!isArray(each.ptr()))
            throwTypeError("an index", "an array", each);
        arrays.push_back(arrayIn(each));
    }
    return arrays;
}

Manager& managerOfArrays(py::handle object) {
    const auto handle = sharedOf<ManagerHandle>(object, "device");
    static std::unordered_map<const void*, std::weak_ptr<void>> known;
    std::weak_ptr<void>& owner = known[handle.get()];
    if (owner.lock() != handle) {
        std::erase_if(known, [](const auto& each) { return each.second.expired(); });
        arrays::setOwner(*handle->manager, std::weak_ptr<void>(handle));
        known[handle.get()] = handle;
    }
    return *handle->manager;
}

} // namespace kp::python
