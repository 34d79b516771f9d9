// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/launch/Autotuner.hpp>

namespace kp::tune {

/// Compares values of a data type; integers, bools and structs byte by byte.
/// @return "" if all are within the tolerances, else a description of the first one that is not
std::string compareValues(Memory::DataTypes type, uint32_t elementSize, const unsigned char* actual,
                          const unsigned char* expected, size_t bytes, double relative,
                          double absolute);

/// Compares the device memory with everything that the arguments expect.
/// @return "" if it is correct, else a description of the first error
std::string verifyResults(const TuningArguments& arguments,
                          const TuningConfiguration& configuration);

/// Returns true if verifyResults() checks anything.
bool verifiesResults(const TuningArguments& arguments);

} // namespace kp::tune
