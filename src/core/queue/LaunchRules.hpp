// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/sequence/Recorder.hpp"
#include "shader/check/CheckedModule.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

/// How a manager's sequences and queues launch work. See ManagerOptions.
struct LaunchRules {
    vulkan::WaitMode waitMode = vulkan::WaitMode::eBlock;
    bool coalesce = false;
    bool reorder = false;
    /// Repeaters read the times of a submission after the next one, while the device works. Not on
    /// Mesa's software driver, which waits until the device is idle whenever times are read.
    bool readTimesLater = false;
    /// Checked mode of algorithms that do not choose; nothing if the manager does not either.
    std::optional<shader::CheckKinds> checks;

    Recorder::Order order() const {
        return reorder ? Recorder::Order::eByNeed : Recorder::Order::eAsGiven;
    }
};

} // namespace kp
