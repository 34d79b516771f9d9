// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <kompute/queue/Event.hpp>

namespace kp {

/// Receives the timed launches of a queue. Called by any thread.
class LaunchLog {
public:
    virtual ~LaunchLog() = default;
    /// @param name  of the work on the device
    virtual void add(std::string_view name, const Event& event) = 0;
};

} // namespace kp
