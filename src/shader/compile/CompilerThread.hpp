// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace kp::shader {

/// Enough for a source at all limits (SourceLimits.hpp). Only used pages take memory.
constexpr size_t kCompilerStackBytes = size_t{256} << 20;

/// Calls a function on a thread with a large stack, because compilers recurse, and the stack of the
/// caller's thread may have a few kilobytes. Waits for it, and passes on its exceptions. Falls back
/// to smaller stacks if there is no address space.
void runWithLargeStack(const std::function<void()>& function);

} // namespace kp::shader
