// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/Values.hpp"

/// For functions that CPython calls directly.
namespace kp::python {

/// Returns the arguments of a call, given by position or by name; null: not given.
/// @param known   the names, in the order of their positions; @p count is not above their number
/// @param callee  returns the name of the function in messages
/// @param other   called with name and value of each unknown argument
/// @throws TypeError for an argument that is given twice
template <size_t N, typename Callee, typename Other>
std::array<PyObject*, N> argumentsOf(const char* const (&known)[N], PyObject* const* values,
                                     Py_ssize_t count, PyObject* names, Callee&& callee,
                                     Other&& other) {
    std::array<PyObject*, N> found{};
    std::copy_n(values, count, found.begin());
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* const name = PyTuple_GET_ITEM(names, i);
        size_t place = 0;
        while (place < N && PyUnicode_CompareWithASCIIString(name, known[place]) != 0)
            ++place;
        if (place == N)
            other(name, values[count + i]);
        else if (std::exchange(found[place], values[count + i]))
            throw py::type_error(formatted("{} got '{}' twice", callee(), known[place]));
    }
    return found;
}

/// Same for a function that takes no other arguments. @throws TypeError for them, too
template <size_t N>
std::array<PyObject*, N> argumentsOf(const char* function, const char* const (&known)[N],
                                     PyObject* const* values, Py_ssize_t count, PyObject* names) {
    if (count > static_cast<Py_ssize_t>(N))
        throw py::type_error(formatted("{}() takes fewer than {} arguments", function, count));
    return argumentsOf(
        known, values, count, names, [function] { return formatted("{}()", function); },
        [function](PyObject*, PyObject*) {
            throw py::type_error(formatted("{}() got an unknown keyword", function));
        });
}

/// @param documentation  a raw string literal; see doc()
template <typename Function>
PyMethodDef fastMethod(const char* name, Function function, const std::string& signature,
                       const char* documentation) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
            METH_FASTCALL | METH_KEYWORDS, methodDoc(name, signature, documentation)};
}

} // namespace kp::python
