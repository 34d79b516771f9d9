// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>

#include "base/Handles.hpp"

/// kp.Array, and conversions of its functions' arguments.
namespace kp::python {

/// Number of types.
inline constexpr size_t kDTypes = static_cast<size_t>(DType::eComplex128) + 1;

/// Returns NumPy's dtype of a type.
py::object numpyType(DType dtype);
/// Returns the type of a NumPy dtype. @throws TypeError if arrays cannot hold it
DType arrayType(py::handle dtype);

py::tuple tupleOf(const Shape& shape);
/// Returns the items of a sequence. @throws what its methods raise, which pybind11's loops ignore
py::list listFrom(py::handle sequence);
/// @throws TypeError unless @p numbers is a sequence of integers
Shape shapeFrom(py::handle numbers);

/// Returns some axes, none if the sequence is empty. @throws as shapeFrom()
Axes axesFrom(py::handle axes);

/// A kp.Array. A type of CPython's own, because expressions make an object for each operator:
/// pybind11 takes three times as long.
struct ArrayObject {
    PyObject_HEAD PyObject* weakReferences;
    Array array;
};

/// The type of kp.Array.
inline PyTypeObject* gArrayType = nullptr;

/// Returns true for a kp.Array.
inline bool isArray(PyObject* object) {
    return Py_TYPE(object) == gArrayType;
}
/// Returns the C++ array behind an object that is a kp.Array.
inline Array& arrayIn(py::handle object) {
    return reinterpret_cast<ArrayObject*>(object.ptr())->array;
}
/// Returns a new kp.Array. @throws error_already_set
PyObject* newArray(Array array);

/// Returns a number of Python's, or a number with a dtype (a tuple of both), or an array.
/// @throws TypeError for other objects; OverflowError for an integer that the dtype cannot hold
Operand operandFrom(py::handle object);
std::vector<Operand> operandsFrom(const py::sequence& objects);
std::vector<Array> arraysFrom(const py::sequence& objects);

/// @throws OverflowError, as NumPy, if a type of integers cannot hold an integer
void requireHeld(const Operand& number, DType dtype, py::handle given);

/// Returns the manager behind a kp.Manager, which arrays then keep alive.
Manager& managerOfArrays(py::handle manager);

} // namespace kp::python

/// Arrays as arguments and results of bindings.
template <>
struct pybind11::detail::type_caster<kp::Array> {
    PYBIND11_TYPE_CASTER(kp::Array, const_name("Array"));
    bool load(handle source, bool) {
        if (!kp::python::isArray(source.ptr()))
            return false;
        value = kp::python::arrayIn(source);
        return true;
    }
    static handle cast(kp::Array array, return_value_policy, handle) {
        return kp::python::newArray(std::move(array));
    }
};
