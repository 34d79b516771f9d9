// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kp::shader {

/// Forgets what compile() has in memory, as if the process had just begun. What is on disk stays.
/// Thread-safe.
void clearCompileCache();

} // namespace kp::shader
