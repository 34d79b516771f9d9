// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace kp {

/// Logs once per process that a compilation takes longer than a second, so that it does not look
/// like a hang: as a warning if stderr is a terminal, otherwise as information.
///
///     const CompileNotice notice("a shader");
///     ... // compile it
class CompileNotice {
public:
    static constexpr std::chrono::seconds kPatience{1};

    /// Waits for the second on a separate thread, which ends with the object.
    /// @param what  is compiled; outlives the object
    explicit CompileNotice(const char* what);
    ~CompileNotice();
    CompileNotice(const CompileNotice&) = delete;
    CompileNotice& operator=(const CompileNotice&) = delete;

    /// Logs it now, unless it was logged before.
    static void say(const char* what);
    /// Allows logging it again, for tests.
    static void reset();

private:
    std::mutex mMutex;
    std::condition_variable mChanged;
    bool mDone = false;
    std::thread mThread; ///< none if it was logged before
};

} // namespace kp
