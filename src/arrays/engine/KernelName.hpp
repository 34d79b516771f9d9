// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

/// Returns the functions that a program computes, each once, in their order: "multiply, add". Of a
/// program without functions, describes it: "copy", "astype", "full", "arange".
std::string kernelName(const KernelCode& program);

/// Returns the name of the reduction of a program's values: "sum", or "sum of multiply, add".
std::string reductionName(std::string_view reduction, const KernelCode& program);

} // namespace kp::arrays
