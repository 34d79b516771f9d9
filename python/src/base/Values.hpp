// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Error.hpp>

#include "base/Messages.hpp"

namespace kp::python {

/// Returns a whole number, by __index__. @throws TypeError, OverflowError
py::ssize_t toIndex(py::handle number);

/// Returns a whole number from 0 on, by __index__; empty for everything else.
std::optional<uint64_t> toUnsigned(py::handle number);
/// Same, but empty for bools.
std::optional<uint64_t> toWholeNumber(py::handle number);

/// Returns a number, or a sequence of up to three, as three. The ones not given are @p missing.
/// @param minCount  smallest number of numbers
/// @param max       largest number
/// @throws TypeError, ValueError naming @p argument
std::array<uint64_t, 3> toThree(py::handle values, const char* argument, uint64_t missing,
                                size_t minCount = 0, uint64_t max = UINT64_MAX);

/// Returns the path that a str or os.PathLike names. @throws TypeError
std::string toPath(py::handle path);

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
