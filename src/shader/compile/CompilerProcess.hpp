// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kp::shader {

/// Limits of a child process: seconds of time, and memory beyond its parent's. The largest
/// shader within the limits of SourceLimits.hpp takes about a tenth of both.
constexpr int kMaxCompilerSeconds = 60;
constexpr uint64_t kMaxCompilerBytes = uint64_t{2} << 30;

/// Calls a function in a copy of this process, in which there is one thread, and returns its
/// result. @p function must not use locks that other threads may hold, or a device.
/// @param what     for messages, such as the name of the source
/// @param started  called in this process as soon as the copy exists
/// @throws ShaderError if the copy crashes, runs out of memory or takes too long; Unsupported if
///         the system cannot copy processes
std::string runInChildProcess(const std::function<std::string()>& function, const std::string& what,
                              const std::function<void()>& started);

} // namespace kp::shader
