// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace kp {

/// Lets short sleeps of this thread end when they should.
void sleepPrecisely();

/// Sleeps, to within a fraction of a millisecond where the system can.
void sleepUntil(std::chrono::steady_clock::time_point end);

} // namespace kp
