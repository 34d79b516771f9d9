// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Manager.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// True in a process that was forked from one that had made a Manager.
extern bool gForked;

void throwForked();

/// For calls that do not reach the device, and which the library therefore does not refuse.
/// @throws Unsupported in a forked process: drivers do not survive fork()
inline void requireThisProcess() {
    if (gForked) [[unlikely]]
        throwForked();
}

/// Makes the end of the process wait for the work of this manager: some drivers crash when they are
/// unloaded while they run something.
void awaitAtExit(const std::shared_ptr<Manager>& manager);

void bindProcess();
/// Sends the library's messages to logging.getLogger("kp").
void bindLogging();

} // namespace kp::python
