// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp::test {

/// False under a sanitizer, which has its own operator new, and on Windows.
bool countsAllocations();

/// Calls of operator new by this thread so far.
uint64_t allocationsOfThisThread();

/// Pauses the count while a driver or a layer runs.
class PauseAllocationCount {
public:
    PauseAllocationCount();
    ~PauseAllocationCount();
    PauseAllocationCount(const PauseAllocationCount&) = delete;
    PauseAllocationCount& operator=(const PauseAllocationCount&) = delete;
};

} // namespace kp::test
