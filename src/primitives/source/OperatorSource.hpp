// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/primitives/Operator.hpp>

#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// Returns the operation's name: "eSum".
std::string nameOf(ReduceOperation operation);

/// @param user  for messages: "OpScan"
/// @throws InvalidArgument for an operation after eXor, which combines no two elements into one of
///         their type, and for eAnd, eOr and eXor of floating-point numbers
void requireCombines(const Operator& combine, Memory::DataTypes computed, const char* user);

/// Returns the type that an operator combines elements in, given the types in memory: the output's
/// (GlslType::computed).
/// @throws InvalidArgument as requireCombines(), and if the types do not go together: sums,
///         products and expressions of floating-point numbers need a floating-point output, all
///         others the input's type
Memory::DataTypes operatorType(const Operator& combine, Memory::DataTypes in, Memory::DataTypes out,
                               const char* user);

/// Throws the InvalidArgument for an output of the wrong type. @param wanted  "a 64-bit type"
[[noreturn]] void refuseOutput(const Operator& combine, Memory::DataTypes in, Memory::DataTypes out,
                               const char* wanted, const char* user);

/// Returns GLSL of the largest (or smallest) value of elements, infinities included.
const char* extremeOf(Memory::DataTypes elements, bool largest);

/// Returns true for a type with fractions.
bool isFloatingPoint(Memory::DataTypes type);

/// Returns the type T of operatorSource(): the type that elements are computed in, but integers for
/// extremes of floating-point numbers, if the device has such of their size.
/// @param int64  the device computes with 64-bit integers
Memory::DataTypes termType(const Operator& combine, Memory::DataTypes computed, bool int64);

/// Returns GLSL that defines the type T and
///
///     T TERM_OF(x)          of an element
///     T combine(T a, T b)
///     T identity()
///     VALUE_OF(T t)         the element again, or the result
///
/// The results of combine() do not depend on how the compiler optimizes its caller. Extremes of
/// floating-point numbers are computed as extremes of integers in the same order. That takes fewer
/// instructions, since NaN is just the outermost integer, and is right for denormal numbers, which
/// devices may take for 0.
/// @param elements  the type of the combined elements, or of their computation: a minimum of no
///                 elements is the largest value of this type
/// @param int64     see termType()
std::string operatorSource(const Operator& combine, Memory::DataTypes elements, bool int64);

/// Returns the suffix of the GLSL functions that combine terms over the lanes of a subgroup, such
/// as "Add" of subgroupAdd() and subgroupInclusiveAdd(); empty if none gives the result of
/// combine().
std::string laneOperation(const Operator& combine, Memory::DataTypes term);

/// Returns Kernel::userTexts for operatorSource().
std::vector<Kernel::UserText> operatorTexts(const Operator& combine);

} // namespace kp::primitives
