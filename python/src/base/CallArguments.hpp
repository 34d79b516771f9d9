// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Messages.hpp"
#include "base/Pybind.hpp"

/// For functions that CPython calls directly.
namespace kp::python {

/// Arguments of a call, by position or by name.
class CallArguments {
public:
    CallArguments(const char* function, PyObject* const* values, Py_ssize_t count, PyObject* names)
        : mFunction(function), mValues(values), mCount(count), mNames(names) {}

    /// Returns the next argument; null if it was not given.
    PyObject* take(const char* name) {
        PyObject* found = mNext < mCount ? mValues[mNext++] : nullptr;
        const Py_ssize_t named = mNames ? PyTuple_GET_SIZE(mNames) : 0;
        for (Py_ssize_t i = 0; i < named; ++i) {
            if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(mNames, i), name) != 0)
                continue;
            if (found)
                throw py::type_error(formatted("{}() got '{}' twice", mFunction, name));
            found = mValues[mCount + i];
            ++mNamed;
        }
        return found;
    }
    /// @throws TypeError if arguments are left over
    void finish() const {
        if (mNext < mCount)
            throw py::type_error(
                formatted("{}() takes fewer than {} arguments", mFunction, mCount));
        if (mNames && mNamed < PyTuple_GET_SIZE(mNames))
            throw py::type_error(formatted("{}() got an unknown keyword", mFunction));
    }

private:
    const char* mFunction;
    PyObject* const* mValues;
    Py_ssize_t mCount;
    PyObject* mNames;
    Py_ssize_t mNext = 0;
    Py_ssize_t mNamed = 0;
};

/// @param documentation  a raw string literal; see doc()
template <typename Function>
PyMethodDef fastMethod(const char* name, Function function, const char* signature,
                       const char* documentation) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
            METH_FASTCALL | METH_KEYWORDS, methodDoc(name, signature, documentation)};
}

} // namespace kp::python
