// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp::test {

/// False where a sanitizer has its own operator new.
bool countsAllocations();

/// Calls of operator new by this thread so far.
uint64_t allocationsOfThisThread();

/// Leaves out of the count what a driver or layer does inside.
class PauseAllocationCount {
public:
    PauseAllocationCount();
    ~PauseAllocationCount();
    PauseAllocationCount(const PauseAllocationCount&) = delete;
    PauseAllocationCount& operator=(const PauseAllocationCount&) = delete;
};

} // namespace kp::test
