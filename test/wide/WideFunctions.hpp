// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kp::test {

/// A function of shaders/lib/wide, and the host's own arithmetic. Arguments and results are 64
/// bits; smaller types stand in the low ones. Types are letters:
///
///   l  integer of 64 bits     u  uint     s  uint that is a count of a shift
///   d  double                 i  int      e  int that is an exponent
///   f  float                  h  half     b  bool
///   r  double, result alone, whose NaNs must have the host's bits, too
struct WideFunction {
    std::string name;
    std::string arguments; ///< a letter for each
    char result;
    uint64_t (*host)(uint64_t a, uint64_t b, uint64_t c);
};

/// Returns the functions that shaders call, not those that help them.
const std::vector<WideFunction>& wideFunctions();

/// The arguments of many calls: the list of the first ones, of the second and of the third.
using WideArguments = std::array<std::vector<uint64_t>, 3>;

/// Returns true if a device's result is right: the host's bits, or a quiet NaN if the host has a
/// NaN.
bool isRight(const WideFunction& function, uint64_t found, uint64_t host);

/// Returns the first call with a wrong result, its result and the right one; "" if all are right.
/// @param results  of the device, one for each call
std::string firstWrong(const WideFunction& function, const WideArguments& arguments,
                       const std::vector<uint64_t>& results);

} // namespace kp::test
