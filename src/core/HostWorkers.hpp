// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kp {

/// A pool of threads for tasks that may block: host functions, and waits for a device. The pool
/// grows so that every task has a thread at once, and reuses idle threads. Tasks do not wait for
/// other host work (see Dependencies), so every task ends. Thread-safe. The end of the
/// process waits for the tasks posted so far. If no thread can be started, the task waits for one
/// that there is, or runs in the calling thread.
class HostWorkers {
public:
    static HostWorkers& instance();
    HostWorkers(const HostWorkers&) = delete;
    HostWorkers& operator=(const HostWorkers&) = delete;

    /// @param task  must not throw
    void post(std::function<void()> task);

    /// Lets go of @p object, as its last owner if possible: a thread ends its task, and with it
    /// what the task keeps, soon after others see what the task did. While threads have tasks,
    /// waits until there is no other owner. Does not wait in a thread of this pool.
    /// @return false if there is another owner when no thread has a task, or after @p limit
    bool release(std::shared_ptr<void> object, std::chrono::nanoseconds limit);

private:
    HostWorkers() = default;
    ~HostWorkers() = delete; // threads may be alive when static objects are destroyed
    /// Waits until no thread has a task.
    void finish();
    void stop();
    void run();
    bool isIdle() const {
        return mTasks.empty() && mIdle == mThreads.size();
    } ///< with mMutex locked

    std::mutex mMutex;
    std::condition_variable mChanged;
    std::deque<std::function<void()>> mTasks;
    std::vector<std::thread> mThreads;
    size_t mIdle = 0;
    std::condition_variable mIdleAgain; ///< a thread has ended a task
    bool mStopping = false;
};

/// Calls @p task now or, if a task of this function is running in this thread, after that task.
/// Long chains of tasks that start each other need no stack this way.
void runFlat(std::function<void()> task);

} // namespace kp
