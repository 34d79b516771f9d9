// SPDX-License-Identifier: Apache-2.0
#include "base/Handles.hpp"

namespace kp::python {

void throwWrongType(py::handle object, const char* argument, PyTypeObject* expected) {
    if (!PyObject_TypeCheck(object.ptr(), expected))
        throwTypeError(argument, formatted("a {}", expected->tp_name), object);
    throw py::type_error(
        formatted("{} is a {} that was never initialised; call __init__ of its base class",
                  argument, typeNameOf(object)));
}

} // namespace kp::python
