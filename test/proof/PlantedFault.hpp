// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/Kompute.hpp>

namespace kp::proof {

/// Makes the driver of a manager's device ignore one command of each thousand, until the program
/// ends: a proof that does not notice proves nothing.
/// @param fault  "dispatch", "copy" or "fill": that command; "barrier": all barriers; "": none
void plantFault(const kp::Manager& manager, const std::string& fault);

} // namespace kp::proof
