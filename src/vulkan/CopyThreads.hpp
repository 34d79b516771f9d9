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

/// The threads of this process that copy memory, shared by all devices. They are made when first
/// needed and end by themselves after a while without work, when the last user goes, and when the
/// process ends or the library is unloaded. Work never depends on them: whoever asks for help works
/// along and ends without it where no thread is free or none can be made. A forked child starts
/// with none, whatever its parent's were at.
///
/// Thread-safe.
class CopyThreads {
public:
    /// Who uses the threads; also asked now and then to free what it no longer needs.
    class User {
    public:
        virtual ~User() = default;
        /// Called in one of the threads after a while without work, and again while the answer is
        /// true. Must not throw.
        /// @return whether there will be something to free later
        virtual bool freeIdle() noexcept = 0;
    };

    /// Another one after fork().
    static CopyThreads& instance();

    void attach(User& user);
    /// Returns when freeIdle() of this user is no longer running and will not be called again.
    /// Ends all threads where it was the last user.
    void detach(User& user);

    /// Calls @p work here and in up to @p helpers other threads at once. Returns when all these
    /// calls have. @p work must not throw and must not call this.
    void run(uint32_t helpers, const std::function<void()>& work);

    /// Sees to it that freeIdle() of all users is called later. Called after there is something new
    /// to free; cheap where it will be anyhow.
    void watch();

    /// Threads alive, for tests.
    size_t threadCount() const;
    /// How long a thread stays without work. For tests; default 1 s.
    void setIdleTime(std::chrono::milliseconds time);

private:
    struct Task {
        const std::function<void()>* work = nullptr;
        uint32_t wanted = 0;  ///< threads that may still join
        uint32_t running = 0; ///< threads in the work
    };
    struct Worker {
        std::thread thread;
        bool ended = false;
    };
    struct EndOfProcess;

    explicit CopyThreads(CopyThreads* before = nullptr) : mBefore(before) {}
    ~CopyThreads() = delete; // never: threads may be alive when static objects are destroyed

    void loop(std::list<Worker>::iterator self);
    Task* findTask();
    bool freeIdleOfUsers(std::unique_lock<std::mutex>& lock);
    void addThread();
    void reap(std::unique_lock<std::mutex>& lock);
    void stopAll(std::unique_lock<std::mutex>& lock);
    void endProcess();

    static constexpr size_t kMostThreads = 128;
    static std::atomic<CopyThreads*> sInstance;

    CopyThreads* const mBefore; ///< the parent's, after fork(): of no use any more

    mutable std::mutex mMutex;
    std::condition_variable mWork;  ///< there is a task, or the threads shall end
    std::condition_variable mState; ///< a task's thread is done, a thread or freeIdle() ended
    std::list<Task*> mTasks;
    std::list<Worker> mWorkers;
    std::vector<User*> mUsers;
    User* mAsked = nullptr; ///< its freeIdle() is running
    size_t mAlive = 0;
    size_t mIdle = 0;
    bool mStopping = false;
    bool mEnding = false;              ///< the process ends: no thread any more
    std::atomic<bool> mWatched{false}; ///< a thread will call freeIdle() from now on
    std::chrono::milliseconds mIdleTime{1000};
};

/// memcpy for large blocks. @param streaming  write past the caches, where the processor can
void copyMemory(void* destination, const void* source, uint64_t bytes, bool streaming);

} // namespace kp::vulkan
