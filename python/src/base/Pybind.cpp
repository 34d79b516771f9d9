// SPDX-License-Identifier: Apache-2.0
#include "base/Pybind.hpp"

#include <algorithm>
#include <deque>

namespace kp::python {
namespace {

const char* keep(std::string text) {
    static auto& texts = *new std::deque<std::string>;
    return texts.emplace_back(std::move(text)).c_str();
}

} // namespace

const char* doc(const char* literal) {
    std::vector<std::string_view> lines;
    for (std::string_view rest = literal; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        lines.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    size_t indent = std::string_view::npos;
    for (const std::string_view line : lines)
        indent = std::min(indent, line.find_first_not_of(' '));
    std::string text;
    for (const std::string_view line : lines)
        text.append(line.substr(std::min(indent, line.size()))).append("\n");
    text.erase(text.find_last_not_of(" \n") + 1);
    text.erase(0, text.find_first_not_of('\n'));
    return keep(std::move(text));
}

const char* methodDoc(const char* name, const std::string& signature, const char* literal) {
    return keep(name + signature + "\n\n" + doc(literal));
}

void addMethod(py::handle type, PyMethodDef& method) {
    type.attr(method.ml_name) = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));
}

} // namespace kp::python
