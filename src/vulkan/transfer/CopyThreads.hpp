// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace kp::vulkan {

/// The threads of this process that copy memory, shared by all devices. They start on first use and
/// end when idle for a while, when the last user detaches, and when the process ends or the library
/// is unloaded. Work never depends on them: the caller of run() works too, alone if no thread is
/// free or can start. A forked child has none of them, and starts its own. Thread-safe.
class CopyThreads {
public:
    /// A user of the threads, which also call it from time to time to free idle memory.
    class User {
    public:
        virtual ~User() = default;
        /// Called in one of the threads after a while without work, and again as long as it returns
        /// true.
        /// @return true if there will be more to free later
        virtual bool freeIdle() noexcept = 0;
    };

    static CopyThreads& instance();

    void attach(User& user);
    /// Returns when freeIdle() of this user is not running and will not be called again. Ends all
    /// threads if it was the last user.
    void detach(User& user);

    /// Calls @p work in this and up to @p helpers other threads at once. Returns when all calls
    /// have returned. @p work must not throw and must not call run().
    void run(uint32_t helpers, const std::function<void()>& work);

    /// Makes the threads call freeIdle() of all users later. Call it when there is something new to
    /// free; fast if the threads will do so anyway.
    void watch();

    /// The number of living threads, for tests.
    size_t threadCount() const {
        const std::lock_guard lock(mMutex);
        return mAlive;
    }
    /// How long a thread stays idle before it ends, for tests. Default: 1 s.
    void setIdleTime(std::chrono::milliseconds time) {
        const std::lock_guard lock(mMutex);
        mIdleTime = time;
    }

private:
    struct Task {
        const std::function<void()>* work = nullptr;
        uint32_t wanted = 0;  ///< threads that may still take part
        uint32_t running = 0; ///< threads in the work
    };
    struct Worker {
        std::thread thread;
        bool ended = false;
    };

    CopyThreads() = default;
    ~CopyThreads() = delete; // threads may be alive when static objects are destroyed

    void loop(std::list<Worker>::iterator self);
    Task* findTask();
    bool freeIdleOfUsers(std::unique_lock<std::mutex>& lock);
    void addThread();
    void joinEnded(std::unique_lock<std::mutex>& lock);
    void stopAll(std::unique_lock<std::mutex>& lock);
    void endProcess();

    static constexpr size_t kMaxThreads = 128;

    mutable std::mutex mMutex;
    std::condition_variable mWork;  ///< signals a task, or that the threads must end
    std::condition_variable mState; ///< signals the end of work, of a thread or of freeIdle()
    std::list<Task*> mTasks;
    std::list<Worker> mWorkers;
    std::vector<User*> mUsers;
    User* mFreeing = nullptr; ///< its freeIdle() is running
    size_t mAlive = 0;
    size_t mIdle = 0;
    bool mStopping = false;
    bool mEnding = false;              ///< the process ends: no new threads
    std::atomic<bool> mWatched{false}; ///< a thread will call freeIdle()
    std::chrono::milliseconds mIdleTime{1000};
};

/// memcpy() for large blocks. @param streaming  bypass the caches, if the processor can
void copyMemory(void* destination, const void* source, uint64_t bytes, bool streaming);

} // namespace kp::vulkan
