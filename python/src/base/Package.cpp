// SPDX-License-Identifier: Apache-2.0
#include "base/Package.hpp"

#include <utility>

#include "base/Errors.hpp"

namespace kp::python {
namespace {

PyObject* gFind = nullptr; // never released: functions may be called while the interpreter ends

} // namespace

void setNeedsPackage() {
    PyErr_SetString(PyExc_RuntimeError, "import kp, not kp._kp");
}

py::object ofPackage(const char* name) {
    if (!gFind) {
        setNeedsPackage();
        throw py::error_already_set();
    }
    return py::handle(gFind)(name);
}

void bindPackage(py::module_& module) {
    module.def(
        "_set_package",
        [](const py::object& find) {
            Py_XDECREF(std::exchange(gFind, py::object(find).release().ptr()));
            findErrorClasses();
        },
        "find"_a,
        "Hands over a function that returns functions and classes of the package by their names.");
}

} // namespace kp::python
