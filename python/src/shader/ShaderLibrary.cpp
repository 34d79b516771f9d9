// SPDX-License-Identifier: Apache-2.0
#include "shader/ShaderLibrary.hpp"

#include <kompute/shader/ShaderLibrary.hpp>

namespace kp::python {

void bindShaderLibrary(py::module_& module) {
    using shader::LibraryText;
    py::class_<LibraryText>(module, "_LibraryText")
        .def(py::init<>())
        .def(
            "use",
            [](LibraryText& self, const std::string& text, const std::string& computed) {
                self.use(text, computed);
            },
            "text"_a, "computed"_a)
        .def(
            "use_by_part",
            [](LibraryText& self, const std::string& name, const std::string& number,
               const std::string& whole, const std::string& result,
               uint32_t count) { self.useByPart(name, number, whole, result, count); },
            "name"_a, "number"_a, "whole"_a, "result"_a, "count"_a)
        .def_property_readonly("text", &LibraryText::text);
}

} // namespace kp::python
