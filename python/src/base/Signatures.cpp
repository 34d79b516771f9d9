// SPDX-License-Identifier: Apache-2.0
#include "base/Signatures.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kp::python {
namespace {

constexpr const char* kEndOfSignature = ")\n--\n\n";

/// Returns where @p text first has @p wanted outside of brackets and quotes, or npos.
size_t findOutside(std::string_view text, std::string_view wanted) {
    int depth = 0;
    char quote = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        const char character = text[at];
        if (quote != 0)
            quote = character == quote ? '\0' : quote;
        else if (depth == 0 && text.substr(at, wanted.size()) == wanted)
            return at;
        else if (character == '\'' || character == '"')
            quote = character;
        else if (std::strchr("([{", character) != nullptr)
            ++depth;
        else if (std::strchr(")]}", character) != nullptr)
            --depth;
    }
    return std::string_view::npos;
}

/// Returns "name=default" of pybind11's "name: type = default".
std::string withoutType(std::string_view parameter) {
    const size_t equals = findOutside(parameter, " = ");
    std::string text(parameter.substr(0, std::min(findOutside(parameter, ":"), equals)));
    if (equals == std::string_view::npos)
        return text;
    std::string_view value = parameter.substr(equals + 3);
    if (value.front() == '<') // an enumerator: <MemoryTypes.device: 0>
        value = value.substr(1, value.find(':') - 1);
    return text.append("=").append(value);
}

/// Returns CPython's form of the signature in the first line of a docstring, or "" if there is
/// none.
/// @param self  how it writes the first parameter if that is "self"
std::string textSignature(std::string_view name, std::string_view documentation,
                          std::string_view self) {
    const std::string_view line = documentation.substr(0, documentation.find('\n'));
    const size_t end = line.rfind(") -> ");
    if (line.substr(0, name.size()) != name || line.substr(name.size(), 1) != "(" ||
        end == std::string_view::npos)
        return {};
    std::string text = std::string(name) + "(";
    std::string_view rest = line.substr(name.size() + 1, end - name.size() - 1);
    for (bool first = true; !rest.empty(); first = false) {
        const size_t comma = std::min(findOutside(rest, ", "), rest.size());
        const std::string parameter = withoutType(rest.substr(0, comma));
        text.append(first ? "" : ", ").append(first && parameter == "self" ? self : parameter);
        rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    return text + kEndOfSignature;
}

/// Adds the signature to the documentation of a function of pybind11, which frees it.
void addTo(PyMethodDef& function) {
    if (function.ml_doc == nullptr)
        return;
    // Not "$self", which stands for the object behind __self__: pybind11 keeps its record there.
    const std::string text =
        textSignature(function.ml_name, function.ml_doc, "self") + function.ml_doc;
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr)
        return;
    std::memcpy(copy, text.c_str(), text.size() + 1);
    std::free(const_cast<char*>(function.ml_doc));
    function.ml_doc = copy;
}

/// Does the same for a method that CPython calls directly, whose documentation is never freed.
void addToFast(PyMethodDef& method) {
    static auto& texts = *new std::vector<std::unique_ptr<std::string>>;
    texts.push_back(std::make_unique<std::string>(
        textSignature(method.ml_name, method.ml_doc, "$self") + method.ml_doc));
    method.ml_doc = texts.back()->c_str();
}

void addToMember(py::handle member) {
    PyObject* function = member.ptr();
    py::object inside;
    if (PyObject_TypeCheck(function, &PyStaticMethod_Type)) {
        inside = member.attr("__func__");
        function = inside.ptr();
    }
    if (PyInstanceMethod_Check(function))
        function = PyInstanceMethod_GET_FUNCTION(function);
    if (PyCFunction_Check(function) &&
        py::detail::is_function_record_PyObject(PyCFunction_GET_SELF(function)))
        addTo(*reinterpret_cast<PyCFunctionObject*>(function)->m_ml);
    else if (PyObject_TypeCheck(function, &PyMethodDescr_Type))
        addToFast(*reinterpret_cast<PyMethodDescrObject*>(function)->d_method);
}

/// Gives a class that Python cannot construct a signature without parameters. inspect asks
/// __init__ first, so a derived class's counts.
void addToClass(PyTypeObject& type) {
    const std::string name =
        py::cast<std::string>(py::handle(reinterpret_cast<PyObject*>(&type)).attr("__name__"));
    const std::string text = name + "(" + kEndOfSignature + (type.tp_doc ? type.tp_doc : "");
    // CPython frees it with the class; the old text stays allocated, as the class does.
#if PY_VERSION_HEX < 0x030D0000
    auto* copy = static_cast<char*>(PyObject_Malloc(text.size() + 1));
#else
    auto* copy = static_cast<char*>(PyMem_Malloc(text.size() + 1));
#endif
    if (copy == nullptr)
        return;
    std::memcpy(copy, text.c_str(), text.size() + 1);
    type.tp_doc = copy;
}

} // namespace

void addTextSignatures(py::handle module) {
    for (const auto& [name, member] : py::cast<py::dict>(module.attr("__dict__"))) {
        if (!PyType_Check(member.ptr())) {
            addToMember(member);
        } else if (PyObject_TypeCheck(member.ptr(),
                                      py::detail::get_internals().default_metaclass)) {
            addClassSignatures(member);
        }
    }
}

void addClassSignatures(py::handle type) {
    addToClass(*reinterpret_cast<PyTypeObject*>(type.ptr()));
    for (const auto& each : py::cast<py::dict>(type.attr("__dict__").attr("copy")()))
        addToMember(each.second);
}

} // namespace kp::python
