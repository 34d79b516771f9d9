// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "Handles.hpp"

namespace kp::python {

/// Waits without the GIL, in slices, so that Ctrl-C raises KeyboardInterrupt in the main thread.
/// @param timeout  nanoseconds; UINT64_MAX waits for ever
/// @return false when the time was over first
bool waitFor(const Event& event, uint64_t timeout = UINT64_MAX);

} // namespace kp::python
