// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/CopyThreads.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/Process.hpp"

namespace kp::vulkan {

CopyThreads& CopyThreads::instance() {
    static auto* threads = new CopyThreads;
    static const EndOfProcess end([] { threads->endProcess(); },
                                  [] {
                                      keepHandle(threads);
                                      threads = new CopyThreads;
                                  });
    return *threads;
}

void CopyThreads::attach(User& user) {
    std::unique_lock lock(mMutex);
    mState.wait(lock, [&] { return !mStopping; });
    mUsers.push_back(&user);
}

void CopyThreads::detach(User& user) {
    std::unique_lock lock(mMutex);
    std::erase(mUsers, &user);
    mState.wait(lock, [&] { return mFreeing != &user; });
    if (mUsers.empty())
        stopAll(lock);
}

void CopyThreads::stopAll(std::unique_lock<std::mutex>& lock) {
    mState.wait(lock, [&] { return !mStopping; });
    if (mWorkers.empty())
        return;
    mStopping = true;
    mWork.notify_all();
    mState.wait(lock, [&] { return mAlive == 0; });
    joinEnded(lock);
    mWatched.store(false);
    mStopping = false;
    mState.notify_all();
}

void CopyThreads::endProcess() {
    // A thread that the system has already ended may hold the lock forever.
    std::unique_lock lock(mMutex, std::defer_lock);
    for (int i = 0; !lock.try_lock(); ++i) {
        if (i == 2000)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    mEnding = true;
    mStopping = true;
    mWork.notify_all();
    // A thread that has not ended by then is in a driver that was unloaded earlier, or was ended by
    // the system.
    if (mState.wait_for(lock, std::chrono::seconds(2), [&] { return mAlive == 0; })) {
        joinEnded(lock);
    } else {
        for (Worker& worker : mWorkers)
            worker.thread.detach();
        new std::list<Worker>(std::move(mWorkers)); // the threads still read their entries
        mWorkers.clear();
    }
    mStopping = false;
    mState.notify_all();
}

void CopyThreads::joinEnded(std::unique_lock<std::mutex>& lock) {
    std::list<Worker> ended;
    for (auto worker = mWorkers.begin(); worker != mWorkers.end();) {
        const auto next = std::next(worker);
        if (worker->ended)
            ended.splice(ended.end(), mWorkers, worker);
        worker = next;
    }
    if (ended.empty())
        return;
    lock.unlock();
    for (Worker& worker : ended)
        worker.thread.join();
    lock.lock();
}

void CopyThreads::addThread() {
    if (mEnding || mStopping || mAlive >= kMaxThreads)
        return;
    std::list<Worker> made;
    try {
        made.emplace_back();
        const auto self = made.begin();
        self->thread = std::thread([this, self] { loop(self); });
        ++mAlive;
        mWorkers.splice(mWorkers.end(), made);
    } catch (const std::exception&) { // fewer threads do the work
    }
}

CopyThreads::Task* CopyThreads::findTask() {
    for (Task* task : mTasks)
        if (task->wanted > 0)
            return task;
    return nullptr;
}

bool CopyThreads::freeIdleOfUsers(std::unique_lock<std::mutex>& lock) {
    if (mFreeing)
        return true;
    mWatched.store(false);
    bool more = false;
    for (size_t i = 0; i < mUsers.size() && !mStopping && !mEnding; ++i) {
        const size_t count = mUsers.size();
        mFreeing = mUsers[i];
        lock.unlock();
        const bool later = mFreeing->freeIdle();
        lock.lock();
        mFreeing = nullptr;
        mState.notify_all();
        // If users have detached meanwhile, one may have been skipped.
        more = more || later || mUsers.size() < count;
    }
    return more || mWatched.load();
}

void CopyThreads::loop(std::list<Worker>::iterator self) {
    std::unique_lock lock(mMutex);
    while (!mStopping && !mEnding) {
        if (Task* task = findTask()) {
            --task->wanted;
            ++task->running;
            lock.unlock();
            (*task->work)();
            lock.lock();
            if (--task->running == 0)
                mState.notify_all();
            continue;
        }
        ++mIdle;
        const bool woken =
            mWork.wait_for(lock, mIdleTime, [&] { return mStopping || mEnding || findTask(); });
        --mIdle;
        if (woken || findTask())
            continue;
        // The last thread stays as long as users have something to free.
        const bool more = freeIdleOfUsers(lock);
        if (more && mAlive == 1)
            mWatched.store(true);
        else if (!findTask())
            break;
    }
    --mAlive;
    self->ended = true;
    mState.notify_all();
}

void CopyThreads::run(uint32_t helpers, const std::function<void()>& work) {
    if (helpers == 0) {
        work();
        return;
    }
    Task task{&work, helpers, 0};
    {
        std::unique_lock lock(mMutex);
        joinEnded(lock);
        mTasks.push_back(&task);
        size_t wanted = 0;
        for (const Task* other : mTasks)
            wanted += other->wanted;
        for (size_t idle = mIdle; idle < wanted; ++idle)
            addThread();
    }
    for (uint32_t i = 0; i < helpers; ++i)
        mWork.notify_one();
    work();
    std::unique_lock lock(mMutex);
    task.wanted = 0;
    mTasks.remove(&task);
    mState.wait(lock, [&] { return task.running == 0; });
}

void CopyThreads::watch() {
    if (mWatched.load())
        return;
    std::unique_lock lock(mMutex);
    mWatched.store(true);
    if (mAlive == 0) {
        joinEnded(lock);
        if (mAlive == 0)
            addThread();
    }
    if (mAlive == 0)
        mWatched.store(false); // the next transfer tries again
}

void copyMemory(void* destination, const void* source, uint64_t bytes, bool streaming) {
#if defined(__SSE2__)
    constexpr uint64_t kLine = 64;
    auto* to = static_cast<unsigned char*>(destination);
    const auto* from = static_cast<const unsigned char*>(source);
    if (streaming && bytes >= 16 * kLine) {
        const uint64_t head =
            (kLine - (reinterpret_cast<uintptr_t>(to) & (kLine - 1))) & (kLine - 1);
        std::memcpy(to, from, head);
        to += head;
        from += head;
        bytes -= head;
        for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine) {
            const auto* in = reinterpret_cast<const __m128i*>(from);
            auto* out = reinterpret_cast<__m128i*>(to);
            const __m128i a = _mm_loadu_si128(in);
            const __m128i b = _mm_loadu_si128(in + 1);
            const __m128i c = _mm_loadu_si128(in + 2);
            const __m128i d = _mm_loadu_si128(in + 3);
            _mm_stream_si128(out, a);
            _mm_stream_si128(out + 1, b);
            _mm_stream_si128(out + 2, c);
            _mm_stream_si128(out + 3, d);
        }
        std::memcpy(to, from, bytes);
        _mm_sfence();
        return;
    }
#else
    static_cast<void>(streaming);
#endif
    std::memcpy(destination, source, bytes);
}

} // namespace kp::vulkan
