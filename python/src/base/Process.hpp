// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Manager.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// True in a process that was forked from one that had used a device.
extern bool gForked;

[[noreturn]] void throwForked();

/// @throws Unsupported in a forked process: drivers do not survive fork()
inline void requireThisProcess() {
    if (gForked) [[unlikely]]
        throwForked();
}

/// Keeps the objects of a type in a forked process: their driver threads do not exist there, so
/// nothing may destroy them.
void keepAfterFork(PyTypeObject* type);

/// Refuses later forked processes. Called by the first call that uses the driver.
void noteDriverUse();

/// Makes the end of the process wait for the work of this manager: some drivers crash when they are
/// unloaded while they run something.
void awaitAtExit(const std::shared_ptr<Manager>& manager);

void bindProcess();
/// Sends the library's messages to logging.getLogger("kp").
void bindLogging();

} // namespace kp::python
