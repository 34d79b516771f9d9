// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of the standard library that signatures of bindings consist of.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// pybind11 as all bindings use it. Type casters must be the same in every file, so <pybind11/stl.h>
// is included everywhere.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace kp::python {

namespace py = pybind11;
using namespace pybind11::literals;

/// Runs a function at the end of a scope.
template <typename Function>
struct AtEnd {
    ~AtEnd() { function(); }
    Function function;
};
template <typename Function>
AtEnd(Function) -> AtEnd<Function>;

/// Returns the docstring in a raw string literal: without its indentation and without blank lines
/// at both ends. The text stays allocated, because CPython keeps pointers to docstrings of methods.
const char* doc(const char* literal);

/// Returns the docstring of a method that CPython calls directly: its signature comes first.
const char* methodDoc(const char* name, const std::string& signature, const char* literal);

/// Adds a method that CPython calls directly. @param method  stays allocated
void addMethod(py::handle type, PyMethodDef& method);

/// Returns a function of a Python object, for def() and def_property_readonly(): it reads or calls
/// a member of the C++ object that @p object finds behind it.
template <typename Object, typename Member>
auto getter(Object object, Member member) {
    return [=](py::handle self) { return std::invoke(member, object(self)); };
}

/// Gives a class __enter__, which returns the object, and __exit__, which calls @p close with it.
template <typename Class, typename Close>
void bindContextManager(Class& type, Close close) {
    type.def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [close](py::handle self, const py::args&) { close(self); });
}

} // namespace kp::python
