// SPDX-License-Identifier: Apache-2.0
#include "base/Messages.hpp"

namespace kp::python {

std::string formatted(std::string_view pattern, std::initializer_list<MessagePart> values) {
    std::string message;
    for (const MessagePart& value : values) {
        const size_t place = pattern.find("{}");
        message.append(pattern.substr(0, place)).append(value.text());
        pattern.remove_prefix(place + 2);
    }
    return message.append(pattern);
}

const char* typeNameOf(py::handle object) {
    return Py_TYPE(object.ptr())->tp_name;
}

std::string reprOf(py::handle object) {
    return py::repr(object);
}

void throwTypeError(std::string_view argument, std::string_view expected, py::handle given) {
    throw py::type_error(formatted("{} is {}, not a {}", std::string(argument),
                                   std::string(expected), typeNameOf(given)));
}

void throwWrongType(py::handle object, const char* argument, PyTypeObject* expected) {
    if (!PyObject_TypeCheck(object.ptr(), expected))
        throwTypeError(argument, formatted("a {}", expected->tp_name), object);
    throw py::type_error(
        formatted("{} is a {} that was never initialised; call __init__ of its base class",
                  argument, typeNameOf(object)));
}

void requireCallable(py::handle function, std::string_view argument) {
    if (!PyCallable_Check(function.ptr()))
        throwTypeError(argument, "a function", function);
}

} // namespace kp::python
