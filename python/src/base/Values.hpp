// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>

#include <kompute/Error.hpp>

#include "base/Pybind.hpp"

/// Values of Python as arguments and in messages.
namespace kp::python {

/// A value in a message.
struct MessagePart {
    MessagePart(const char* value) : text(value) {}
    MessagePart(std::string value) : text(std::move(value)) {}
    template <std::integral Number>
    MessagePart(Number number) : text(std::to_string(number)) {}

    std::string text;
};

/// Returns @p pattern with the values in place of each {}.
std::string formatted(std::string_view pattern, std::initializer_list<MessagePart> values);
template <typename... Values>
std::string formatted(std::string_view pattern, const Values&... values) {
    return formatted(pattern, {MessagePart(values)...});
}

/// Returns the name of an object's type.
const char* typeNameOf(py::handle object);
/// Returns a type's name as messages have it: "kp.Tensor" of "kp._kp.Tensor".
std::string publicName(std::string_view type);
/// Same with an article.
std::string withArticle(std::string_view type);
/// Returns a description of an object, with an article.
std::string kindOf(py::handle object);
std::string reprOf(py::handle object);
/// Returns true for a kp.Array.
bool isArray(py::handle object);

/// @throws TypeError with "argument is expected, not a ..."
/// A message about a kp.Array in a tensor's place says how to get its tensor.
[[noreturn]] void throwTypeError(std::string_view argument, std::string_view expected,
                                 py::handle given);

/// @throws TypeError if @p object is not of the expected type, or of a derived class that was never
///         initialised
[[noreturn]] void throwWrongType(py::handle object, const char* argument, PyTypeObject* expected);

/// @throws TypeError naming @p argument if @p function is not callable
void requireCallable(py::handle function, std::string_view argument);

/// Returns a str in UTF-8. @param what  the argument's name, for the message
/// @throws TypeError if it is another object
/// @throws UnicodeEncodeError if it has lone surrogates, which have no UTF-8
std::string toText(py::handle text, std::string_view what);

/// Returns a whole number, by __index__. @throws TypeError, OverflowError
py::ssize_t toIndex(py::handle number);

/// Returns a whole number from 0 on, by __index__; empty for everything else.
std::optional<uint64_t> toUnsigned(py::handle number);
/// Same, but empty for bools.
std::optional<uint64_t> toWholeNumber(py::handle number);

/// Returns the entries of a size: one number, or a sequence of numbers (NumPy's arrays included).
/// @param expected  what @p argument is, for the message
/// @throws TypeError naming @p argument for everything else
std::vector<py::object> toNumbers(py::handle size, const char* argument,
                                  const char* expected = "a number or a sequence of numbers");

/// Returns a number, or a sequence of up to three, as three. The ones not given are @p missing.
/// @param minCount  smallest number of numbers
/// @param max       largest number
/// @throws TypeError, ValueError naming @p argument
std::array<uint64_t, 3> toThree(py::handle values, const char* argument, uint64_t missing,
                                size_t minCount = 0, uint64_t max = UINT64_MAX);

/// Returns the path that a str or os.PathLike names, in the encoding of the file system: names of
/// files need not be UTF-8. @throws TypeError
std::string toPath(py::handle path);
/// Returns a list of folders as the environment variable PATH has it, from such a text, a path, or
/// a sequence of paths. @throws TypeError; ValueError for entries with the separator
std::string toPathList(py::handle folders);
/// Returns a path as a str from which toPath() makes it again.
py::object fromPath(const std::string& path);

/// Returns the words of a shader as bytes.
py::bytes toBytes(const std::vector<uint32_t>& words);

/// Returns any sequence as a tuple.
template <typename Sequence>
py::tuple toTuple(const Sequence& values) {
    py::tuple tuple(values.size());
    for (size_t i = 0; i < values.size(); ++i)
        tuple[i] = py::cast(values[i]);
    return tuple;
}

/// An enumerator and its name in Python.
template <typename Value>
struct Named {
    const char* name;
    Value value;
};

/// Returns the enumerator of a name.
/// @throws InvalidArgument naming @p argument and the names it may have
template <typename Value, size_t N>
Value valueNamed(const Named<Value> (&all)[N], const std::string& name, const char* argument) {
    std::string known;
    for (const Named<Value>& each : all) {
        if (name == each.name)
            return each.value;
        known += formatted("{}\"{}\"", known.empty() ? "" : ", ", each.name);
    }
    throw InvalidArgument(formatted("{} is one of {}, not \"{}\"", argument, known, name));
}

/// Returns the name of an enumerator.
template <typename Value, size_t N>
const char* nameIn(const Named<Value> (&all)[N], Value value) {
    for (const Named<Value>& each : all)
        if (each.value == value)
            return each.name;
    return "";
}

} // namespace kp::python
