// SPDX-License-Identifier: Apache-2.0
#include "base/Sleep.hpp"

#include <algorithm>
#include <thread>

#if defined(_WIN32)
#include <windows.h>
#elif defined(__linux__)
#include <sys/prctl.h>
#endif

namespace kp {

void sleepPrecisely() {
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK, 1); // ns; otherwise sleeps end 50 us late to save wake-ups
#endif
}

#if defined(_WIN32)

namespace {

/// Ordinary sleeps end with a tick of the system's clock, of which there are 64 in a second.
class PreciseTimer {
public:
    ~PreciseTimer() {
        if (mHandle)
            CloseHandle(mHandle);
    }
    /// Returns false on systems before Windows 10, version 1803.
    bool sleep(std::chrono::nanoseconds time) const {
        LARGE_INTEGER due;
        due.QuadPart = -std::max<LONGLONG>(1, time.count() / 100);
        return mHandle && SetWaitableTimer(mHandle, &due, 0, nullptr, nullptr, FALSE) &&
               WaitForSingleObject(mHandle, INFINITE) == WAIT_OBJECT_0;
    }

private:
    static constexpr DWORD kHighResolution = 2; ///< CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
    HANDLE mHandle =
        CreateWaitableTimerExW(nullptr, nullptr, kHighResolution, TIMER_MODIFY_STATE | SYNCHRONIZE);
};

} // namespace

void sleepUntil(std::chrono::steady_clock::time_point end) {
    thread_local const PreciseTimer timer;
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() > 0 && !timer.sleep(left))
        std::this_thread::sleep_for(left);
}

#else

void sleepUntil(std::chrono::steady_clock::time_point end) {
    std::this_thread::sleep_until(end);
}

#endif

} // namespace kp
