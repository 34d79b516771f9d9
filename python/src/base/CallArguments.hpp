// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/Messages.hpp"
#include "base/Pybind.hpp"

/// For functions that CPython calls directly.
namespace kp::python {

/// Returns the arguments of a call, given by position or by name; null: not given.
/// @param known  the names, in the order of their positions
/// @throws TypeError for too many arguments, for one that is given twice and for unknown names
template <size_t N>
std::array<PyObject*, N> argumentsOf(const char* function, const char* const (&known)[N],
                                     PyObject* const* values, Py_ssize_t count, PyObject* names) {
    if (count > static_cast<Py_ssize_t>(N))
        throw py::type_error(formatted("{}() takes fewer than {} arguments", function, count));
    std::array<PyObject*, N> found{};
    std::copy_n(values, count, found.begin());
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        size_t place = 0;
        while (place < N &&
               PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), known[place]) != 0)
            ++place;
        if (place == N)
            throw py::type_error(formatted("{}() got an unknown keyword", function));
        if (found[place])
            throw py::type_error(formatted("{}() got '{}' twice", function, known[place]));
        found[place] = values[count + i];
    }
    return found;
}

/// @param documentation  a raw string literal; see doc()
template <typename Function>
PyMethodDef fastMethod(const char* name, Function function, const std::string& signature,
                       const char* documentation) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
            METH_FASTCALL | METH_KEYWORDS, methodDoc(name, signature, documentation)};
}

} // namespace kp::python
