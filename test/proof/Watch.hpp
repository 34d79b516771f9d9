// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "proof/Settings.hpp"

namespace kp::proof {

/// Names the case under way if the process crashes, or a case takes longer than two minutes, and
/// ends the process with status 1 then.
class Watch {
public:
    static void begin(const std::string& name);
    /// Names case @p number of a proof so that it can be run again.
    static void begin(const char* proof, const Settings& settings, uint64_t number);
};

} // namespace kp::proof
