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
#include <type_traits>
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

/// Adds members to a class that read or call a member of the C++ object behind a Python object, or
/// pass it to a function.
template <typename Class, typename Object>
class Members {
public:
    /// @param object  returns the C++ object behind a Python object
    Members(Class type, Object object) : mType(std::move(type)), mObject(object) {}

    /// Adds a read-only property. @param member  may be a function of the Python object, too
    template <typename Member>
    Members& property(const char* name, Member member, const char* documentation) {
        if constexpr (std::is_invocable_v<Member, py::handle>)
            mType.def_property_readonly(name, member, documentation);
        else
            mType.def_property_readonly(name, reading(member), documentation);
        return *this;
    }
    /// Adds a method without arguments.
    template <typename Member, typename... Extra>
    Members& method(const char* name, Member member, const Extra&... extra) {
        return def(name, reading(member), extra...);
    }
    /// Same as the class's.
    template <typename... Args>
    Members& def(Args&&... args) {
        mType.def(std::forward<Args>(args)...);
        return *this;
    }

private:
    template <typename Member>
    auto reading(Member member) const {
        return [member, object = mObject](py::handle self) {
            return std::invoke(member, object(self));
        };
    }

    Class mType;
    Object mObject;
};

/// Gives a class __enter__, which returns the object, and __exit__, which calls @p close with it.
template <typename Class, typename Close>
void bindContextManager(Class& type, Close close) {
    type.def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [close](py::handle self, const py::args&) { close(self); });
}

} // namespace kp::python
