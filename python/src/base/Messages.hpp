// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>

#include "base/Pybind.hpp"

namespace kp::python {

/// A value in a message.
class MessagePart {
public:
    MessagePart(const char* text) : mText(text) {}
    MessagePart(std::string text) : mText(std::move(text)) {}
    template <std::integral Number>
    MessagePart(Number number) : mText(std::to_string(number)) {}

    const std::string& text() const { return mText; }

private:
    std::string mText;
};

/// Returns @p pattern with the values in place of each {}.
std::string formatted(std::string_view pattern, std::initializer_list<MessagePart> values);
template <typename... Values>
std::string formatted(std::string_view pattern, const Values&... values) {
    return formatted(pattern, {MessagePart(values)...});
}

/// Returns the name of an object's type.
const char* typeNameOf(py::handle object);

/// Returns repr() of an object.
std::string reprOf(py::handle object);

/// @throws TypeError with "argument is expected, not a ..."
[[noreturn]] void throwTypeError(std::string_view argument, std::string_view expected,
                                 py::handle given);

/// @throws TypeError if @p object is not of the expected type, or of a derived class that was never
/// initialised
[[noreturn]] void throwWrongType(py::handle object, const char* argument, PyTypeObject* expected);

/// @throws TypeError naming @p argument if @p function is not callable
void requireCallable(py::handle function, std::string_view argument);

} // namespace kp::python
