// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include <kompute/Array.hpp>
#include <kompute/program/Program.hpp>

namespace kp {

/// Arrays by their names.
using NamedArrays = std::map<std::string, Array>;

/// Makes a program of a function of arrays, which is traced with copies of the arguments: for their
/// types and shapes, and without computing anything. An argument that the function changes in place
/// is an output of the program, too. Other arrays that the function uses are saved with their
/// elements. See capture() for what the function may do.
///
///     kp::Program step = kp::captureProgram([](const kp::NamedArrays& in) {
///         return kp::NamedArrays{{"y", kp::sin(in.at("x")) * 2}};
///     }, {{"x", x}});
///
/// @throws InvalidArgument if there are no arguments, a name is empty, or is an argument's and a
///         result's, an array has no elements, or the function does not use an argument; as
///         Program::of()
KOMPUTE_API Program captureProgram(const std::function<NamedArrays(const NamedArrays&)>& function,
                                   const NamedArrays& arguments);

/// Launches a program on the inputs' manager, and returns at once. The inputs stay as they are:
/// of those that are outputs, too, the results are new arrays.
/// @param manager  of the outputs, if the program has no inputs; null: the default one
/// @return the outputs
/// @throws InvalidArgument if an input is missing or unknown, or of another type or shape than the
///         program was saved for
KOMPUTE_API NamedArrays runProgram(const Program& program, const NamedArrays& inputs,
                                   Manager* manager = nullptr);

} // namespace kp
