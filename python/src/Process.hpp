// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace kp {
class Manager;
}

namespace kp::python {

/// True in a process that was forked from one that had used a device.
extern bool gForked;

[[noreturn]] void throwForked();

/// @throws Unsupported in a forked process: drivers do not survive fork()
inline void requireThisProcess() {
    if (gForked) [[unlikely]]
        throwForked();
}

/// To be called by what first talks to the driver: from now on forked processes are refused.
void noteDriverUse();

/// The end of the process waits for the work of this manager: drivers do not like to be unloaded
/// while they run something.
void awaitAtExit(const std::shared_ptr<Manager>& manager);

} // namespace kp::python
