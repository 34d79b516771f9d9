// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace kp {
class Manager;
}

namespace kp::test {

/// Adds 1 to a tensor twice, with classes that have no RTTI. @return its second element, 4;
/// -1 if an operation was not recorded
float runWithoutRtti(kp::Manager& manager, const std::vector<uint32_t>& increment);

} // namespace kp::test
