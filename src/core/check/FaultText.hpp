// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <kompute/shader/Check.hpp>

#include "core/check/CheckReport.hpp"
#include "shader/check/CheckedModule.hpp"

namespace kp {

/// Returns the text of a fault in a report.
/// @param record  shader::kFaultWords words
CheckFault faultOf(const shader::CheckSite& site, std::span<const uint32_t> record,
                   std::span<const BoundMemory> bound);

/// Adds the axes of a fault's index.
/// @param axes  shader::kAxesWords words
void addAxes(CheckFault& fault, std::span<const uint32_t> axes);

} // namespace kp
