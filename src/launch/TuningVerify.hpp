// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/launch/Autotuner.hpp>

namespace kp::launch {

/// Compares values of a data type; integers, bools and structs byte by byte.
/// @return "" where all are within the tolerance, else the first element that is not
std::string compareValues(Memory::DataTypes type, uint32_t elementSize, const unsigned char* actual,
                          const unsigned char* expected, size_t bytes, double relative,
                          double absolute);

/// Holds what the device memory contains against everything that the arguments expect.
/// @return "" where it is right
std::string verifyResults(const TuningArguments& arguments,
                          const TuningConfiguration& configuration);

/// True where verifyResults() looks at anything.
bool verifiesResults(const TuningArguments& arguments);

} // namespace kp::launch
