// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace kp {

/// Says once per process that something is being compiled, if that takes longer than a second:
/// silence would look like a hang. It is a warning if stderr is a terminal, where somebody may
/// wait, and otherwise information.
///
///     const CompileNotice notice("a shader");
///     ... // compile it
class CompileNotice {
public:
    static constexpr std::chrono::seconds kPatience{1};

    /// Waits for the second on a thread of its own, which ends with the object.
    /// @param what  is compiled; outlives the object
    explicit CompileNotice(const char* what);
    ~CompileNotice();
    CompileNotice(const CompileNotice&) = delete;
    CompileNotice& operator=(const CompileNotice&) = delete;

    /// Says it now, unless it was said before.
    static void say(const char* what);
    /// Lets it be said again, for tests.
    static void reset();

private:
    std::mutex mMutex;
    std::condition_variable mChanged;
    bool mDone = false;
    std::thread mThread; ///< none if it was said before
};

} // namespace kp
