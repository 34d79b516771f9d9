// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kp {

/// Threads of the library for work that may block: host functions, and waits of the host for a
/// device. There are as many as there are such tasks at once; idle ones are used again. Tasks that
/// wait for something the host has yet to do are not given here (see Dependencies), so every task
/// ends. Thread-safe. At the end of the process, waits for the tasks it has.
class HostWorkers {
public:
    static HostWorkers& instance();
    ~HostWorkers();
    HostWorkers(const HostWorkers&) = delete;
    HostWorkers& operator=(const HostWorkers&) = delete;

    /// @param task  must not throw
    void post(std::function<void()> task);

private:
    HostWorkers() = default;
    void run();

    std::mutex mMutex;
    std::condition_variable mChanged;
    std::deque<std::function<void()>> mTasks;
    std::vector<std::thread> mThreads;
    size_t mIdle = 0;
    bool mStopping = false;
};

/// Calls @p task now, or, inside of such a call in this thread, after it: long chains of tasks that
/// start each other take no stack.
void runFlat(std::function<void()> task);

} // namespace kp
