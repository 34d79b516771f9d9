// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/ProfilerImpl.hpp"

namespace kp::profile {

/// Implements Profiler::trace(): Chrome's trace event format, in which a process is the host or a
/// device and a thread is a host thread or a queue.
/// @param impl  its mutex must be held
std::string traceOf(const Profiler::Impl& impl);

} // namespace kp::profile
