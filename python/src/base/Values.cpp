// SPDX-License-Identifier: Apache-2.0
#include "base/Values.hpp"
#include "base/Package.hpp"

#include <algorithm>

namespace kp::python {

std::string formatted(std::string_view pattern, std::initializer_list<MessagePart> values) {
    std::string message;
    for (const MessagePart& value : values) {
        const size_t place = pattern.find("{}");
        message.append(pattern.substr(0, place)).append(value.text);
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

std::string publicName(std::string_view type) {
    constexpr std::string_view kModule = "kp._kp.";
    const bool own = type.substr(0, kModule.size()) == kModule;
    return own ? "kp." + std::string(type.substr(kModule.size())) : std::string(type);
}

std::string withArticle(std::string_view type) {
    const std::string name = publicName(type);
    constexpr std::string_view kVowels = "aeiouAEIOU";
    return (kVowels.find(name.front()) == std::string_view::npos ? "a " : "an ") + name;
}

std::string kindOf(py::handle object) {
    return object.is_none() ? "None" : withArticle(typeNameOf(object));
}

bool isArray(py::handle object) {
    return py::hasattr(object, "__kp_tensor__") && py::hasattr(object, "tensor");
}

void throwTypeError(std::string_view argument, std::string_view expected, py::handle given) {
    const bool wantsTensor = expected.find("ensor") != std::string_view::npos;
    throw py::type_error(formatted("{} is {}, not {}{}", std::string(argument),
                                   std::string(expected), kindOf(given),
                                   wantsTensor && isArray(given) ? "; use array.tensor()" : ""));
}

void throwWrongType(py::handle object, const char* argument, PyTypeObject* expected) {
    if (!PyObject_TypeCheck(object.ptr(), expected))
        throwTypeError(argument, withArticle(expected->tp_name), object);
    throw py::type_error(
        formatted("{} is {} that was never initialised; call __init__ of its base class", argument,
                  kindOf(object)));
}

void requireCallable(py::handle function, std::string_view argument) {
    if (!PyCallable_Check(function.ptr()))
        throwTypeError(argument, "a function", function);
}

std::string toText(py::handle text, std::string_view what) {
    if (!PyUnicode_Check(text.ptr()))
        throwTypeError(what, "text", text);
    Py_ssize_t size = 0;
    if (const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
        return {utf8, static_cast<size_t>(size)};
    PyErr_Clear();
    const py::object error = ofPackage("not_unicode")(std::string(what), text);
    PyErr_SetObject(PyExc_UnicodeEncodeError, error.ptr());
    throw py::error_already_set();
}

py::ssize_t toIndex(py::handle number) {
    const py::ssize_t value = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred())
        throw py::error_already_set();
    return value;
}

std::optional<uint64_t> toUnsigned(py::handle value) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    const unsigned long long number = index ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
    if (!PyErr_Occurred())
        return number;
    PyErr_Clear();
    return std::nullopt;
}

std::optional<uint64_t> toWholeNumber(py::handle value) {
    if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr()))
        return std::nullopt;
    return toUnsigned(value);
}

std::vector<py::object> toNumbers(py::handle size, const char* argument, const char* expected) {
    const bool sequence = PySequence_Check(size.ptr()) && !PyUnicode_Check(size.ptr());
    // All of NumPy's arrays have __index__. It fails unless they have no dimension.
    if (PyIndex_Check(size.ptr())) {
        const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(size.ptr()));
        PyErr_Clear();
        if (number || !sequence)
            return {py::reinterpret_borrow<py::object>(size)};
    }
    if (!sequence)
        throwTypeError(argument, expected, size);
    std::vector<py::object> numbers;
    for (const py::handle number : py::iter(size)) // what its methods raise passes
        numbers.push_back(py::reinterpret_borrow<py::object>(number));
    return numbers;
}

std::array<uint64_t, 3> toThree(py::handle values, const char* argument, uint64_t missing,
                                size_t minCount, uint64_t max) {
    std::array<uint64_t, 3> result{missing, missing, missing};
    const auto convert = [&](py::handle value) {
        const std::optional<uint64_t> number = toUnsigned(value);
        if (!number)
            throw py::value_error(
                formatted("{} has whole numbers from 0 on, not {}", argument, reprOf(value)));
        if (*number > max)
            throw py::value_error(formatted("{} has {}, which is over {}", argument, *number, max));
        return *number;
    };
    const auto numbers = toNumbers(values, argument, "a number or up to three of them");
    if (numbers.size() < minCount || numbers.size() > result.size())
        throw py::value_error(formatted("{} has {} to three numbers, not {}", argument,
                                        minCount == 0 ? "zero" : "one", numbers.size()));
    std::transform(numbers.begin(), numbers.end(), result.begin(), convert);
    return result;
}

std::string toPath(py::handle path) {
    return py::cast<py::bytes>(py::module_::import("os").attr("fsencode")(path));
}

std::string toPathList(py::handle folders) {
    if (!PyList_Check(folders.ptr()) && !PyTuple_Check(folders.ptr()))
        return toPath(folders);
    const auto separator = py::cast<std::string>(py::module_::import("os").attr("pathsep"));
    std::string list;
    for (const py::handle folder : folders) {
        const std::string path = toPath(folder);
        if (path.find(separator) != std::string::npos)
            throw py::value_error(formatted("the folder '{}' has a '{}', which separates the "
                                            "folders of a list; rename it",
                                            path, separator));
        list += (list.empty() ? "" : separator) + path;
    }
    return list;
}

py::object fromPath(const std::string& path) {
    return py::module_::import("os").attr("fsdecode")(py::bytes(path));
}

py::bytes toBytes(const std::vector<uint32_t>& words) {
    return py::bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
}

} // namespace kp::python
