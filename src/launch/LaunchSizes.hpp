// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/launch/KernelLauncher.hpp>

namespace kp::launch {

// The sizes of one call of a kernel launcher: those of the call, else the defaults. Each function
// throws InvalidArgument if a size is missing or 0, contradicts the shader, or exceeds the device's
// limits. @p launcher is the name for the message.

/// Returns the number of work items.
WorkSize globalSizeOf(const std::string& launcher, const KernelOptions& defaults,
                      const LaunchOptions& call);

/// Returns the number of work items per work group.
Workgroup localSizeOf(const std::string& launcher, const Kernel& kernel,
                      const KernelOptions& defaults, const LaunchOptions& call);

/// Returns the number of work groups.
Workgroup groupCountsOf(const std::string& launcher, const Kernel& kernel,
                        const WorkSize& globalSize, const Workgroup& localSize, bool roundUp);

} // namespace kp::launch
