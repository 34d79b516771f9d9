// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
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
/// other host work (see Dependencies), so every task ends once the device has finished.
/// Thread-safe. The end of the process waits for the tasks posted so far, but for waits for a
/// device no longer than endLimit(). If no thread can be started, the task waits for an existing
/// one, or runs in the calling thread.
class HostWorkers {
public:
    static HostWorkers& instance();
    /// Returns true in a thread of the pool, as in a host function.
    static bool isWorker();
    HostWorkers(const HostWorkers&) = delete;
    HostWorkers& operator=(const HostWorkers&) = delete;

    /// @param task  must not throw
    void post(std::function<void()> task);

    /// Exists while a task waits for a device.
    class DeviceWait {
    public:
        DeviceWait() { ++instance().mDeviceWaits; }
        ~DeviceWait() { --instance().mDeviceWaits; }
        DeviceWait(const DeviceWait&) = delete;
        DeviceWait& operator=(const DeviceWait&) = delete;
    };

    /// Releases @p object, as its last owner if possible: a thread ends its task, and destroys the
    /// task's objects, soon after others see the task's results. While threads have tasks, waits
    /// until there is no other owner. Does not wait in a thread of this pool.
    /// @return false if there is another owner when no thread has a task, or after @p limit
    bool release(std::shared_ptr<void> object, std::chrono::nanoseconds limit);

private:
    HostWorkers() = default;
    ~HostWorkers() = delete; // threads may be alive when static objects are destroyed
    /// Waits until no thread has a task.
    void finish();
    void stop();
    /// Waits until @p done, or, after endLimit(), until all threads that are left wait for a
    /// device.
    /// @param done   with mMutex locked
    /// @param ended  number of threads that are not left
    template <typename Done>
    bool waitForTasks(std::unique_lock<std::mutex>& lock, const Done& done, const size_t& ended);
    void run();
    bool isIdle() const {
        return mTasks.empty() && mIdle == mThreads.size();
    } ///< with mMutex locked

    std::mutex mMutex;
    std::condition_variable mChanged;
    std::deque<std::function<void()>> mTasks;
    std::vector<std::thread> mThreads;
    size_t mIdle = 0;
    size_t mEnded = 0;                  ///< threads that have nothing left to do
    std::condition_variable mIdleAgain; ///< a thread has ended a task
    bool mStopping = false;
    std::atomic<size_t> mDeviceWaits{0};
};

/// Calls @p task now or, if a task of this function is running in this thread, after that task.
/// Long chains of tasks that start each other need no stack this way.
void runFlat(std::function<void()> task);

} // namespace kp
